import assert from 'node:assert/strict';
import { openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { bongsu } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';

test('doctor reports a bad configuration, a missing store and a damaged store', async () => {
  const env = { BONGSU_DATA_DIR: scratchDirectory() };
  const [wrong, none] = await Promise.all([
    bongsu(['doctor'], { ...env, BONGSU_PORT: 'x' }),
    bongsu(['doctor', '--json'], env),
    bongsu(['account', 'create', 'shop'], { BONGSU_DATA_DIR: join(env.BONGSU_DATA_DIR, 'made') }),
  ]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stdout, /^PROBLEM {2}configuration {2}BONGSU_PORT: expected .*\n +→ Correct it/);
  assert.equal(none.code, 0, 'it is not wrong to have none yet');
  assert.match(JSON.parse(none.stdout)[0].detail, /there is no database at/);

  const made = { BONGSU_DATA_DIR: join(env.BONGSU_DATA_DIR, 'made') };
  const sound = await bongsu(['doctor'], made);
  assert.equal(sound.code, 0);
  assert.match(sound.stdout, /ok +store +No damage was found/);
  // A page in the middle of the file, as a bad disk would leave it.
  const file = openSync(join(made.BONGSU_DATA_DIR, 'bongsu.db'), 'r+');
  for (const page of [5, 6, 7, 8, 9, 10]) writeSync(file, Buffer.alloc(4096, 0xff), 0, 4096, page * 4096);
  const damaged = await bongsu(['doctor'], made);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stdout, /PROBLEM {2}store/);
});

test('init writes a file that serve and doctor accept, and does not overwrite one', async () => {
  const directory = scratchDirectory();
  const file = join(directory, 'bongsu.yaml');
  const written = await bongsu(['init', '--file', file]);
  assert.equal(written.stdout, `${file} written; "bongsu doctor" checks it\n`);
  const nowhere = join(directory, 'none', 'bongsu.yaml');
  const unwritten = await bongsu(['init', '--file', nowhere]);
  assert.equal(unwritten.code, 1);
  assert.match(unwritten.stderr, new RegExp(`^bongsu: cannot write ${nowhere}: ENOENT.*\n$`));
  const env = { BONGSU_CONFIG: file, BONGSU_DATA_DIR: directory };
  const again = await bongsu(['init', '--file', file]);
  assert.deepEqual([again.code, again.stderr], [1, `bongsu: there is a ${file} already\n`]);
  const explained = await bongsu(['route', 'explain', '--channel', 'sms', '--to', '01012345678'], env);
  assert.match(explained.stdout, /^simulator: routes\[0\]/);
});

test('a command that cannot reach its database says so, and names the commands that help', async () => {
  const env = { BONGSU_DATABASE_URL: 'postgres://bongsu@127.0.0.1:1/bongsu', BONGSU_STORE_TIMEOUT: '1s' };
  const [list, doctor] = [await bongsu(['carrier', 'list'], env), await bongsu(['doctor'], env)];
  assert.equal(list.code, 1);
  assert.match(
    list.stderr,
    /^bongsu: the database cannot be reached: .*ECONNREFUSED.*\n {2}A running gateway says .*--url\n$/,
  );
  assert.match(
    doctor.stdout,
    /^PROBLEM {2}store +The store cannot be opened: the database cannot be reached.*\n +→ A running gateway/,
  );
});

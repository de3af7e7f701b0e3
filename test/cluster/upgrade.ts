/** `npm run suite upgrade`: a rolling upgrade from the version before. Not in `npm test`: it takes 18 s of processor time. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { skipReason } from '../harness/debian.ts';
import { Load, LoadAccount } from '../harness/load.ts';
import { startPostgres } from '../harness/postgres.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

/** Version 0.2.0 as it was last: its newest migration is 0023. */
const VERSION_BEFORE = '10d7f385ed25fd9e0b5d4f1a00ae418f57f3afdd';
const MESSAGES = 150;

/** The history may not be here: a shallow clone has only the newest commits, and a package has none. */
function whySkipped(): string | false {
  const { status } = spawnSync('git', ['cat-file', '-e', `${VERSION_BEFORE}^{commit}`]);
  return skipReason(status === 0 ? undefined : 'the version before is not in the history of this checkout');
}

test('the version before runs beside this one on one schema, under load, until it is stopped', {
  skip: whySkipped(),
}, async t => {
  const before = scratchDirectory();
  const archive = execFileSync('git', ['archive', VERSION_BEFORE, 'src', 'client', 'package.json'], {
    maxBuffer: 256 * 1024 * 1024,
  });
  execFileSync('tar', ['-x', '-C', before], { input: archive });
  symlinkSync(resolve('node_modules'), join(before, 'node_modules'));

  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const env = {
    BONGSU_DATABASE_URL: await postgres.createDatabase(),
    ...LoadAccount.ENV,
    BONGSU_DATA_KEY: randomBytes(32).toString('hex'),
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
  };
  const old = await startServer(t, env, [join(before, 'src/main.ts')]);
  const atOld = await LoadAccount.signIn(old.url);
  const onOld = new Load([atOld], 4);
  const arrives = (what: string, load: Load, count: number) => {
    const wanted = load.accepted.length + count;
    return until(what, () => load.accepted.length >= wanted);
  };
  await arrives('the version before has work', onOld, MESSAGES);

  // It migrates while the other one works.
  const next = await startServer(t, env);
  assert.match(next.stderr(), /"event":"migrating".*0024-.*is done/);
  const atNext = atOld.at(next.url);
  const onNew = new Load([atNext], 4);
  await Promise.all([
    arrives('the version before goes on on the new schema', onOld, MESSAGES),
    arrives('the new version accepts', onNew, MESSAGES),
  ]);

  const reseal = () => bongsu(['data-key', 'reseal', '--url', next.url], env);
  assert.match(
    (await reseal()).stderr,
    /could not read what this version encrypts: upgrade every node first/,
  );
  await onOld.stop();
  assert.deepEqual(await old.stop(), { code: 0, signal: null });
  const resealed = await reseal();
  assert.match(
    resealed.stdout,
    /from now on the store refuses values that are not encrypted/,
    resealed.stderr,
  );
  await arrives('the new version goes on alone', onNew, MESSAGES);
  await onNew.stop();
  await atNext.queueIsEmpty();

  // Whichever version accepted them.
  await atNext.assertReportedOnce([...onOld.accepted, ...onNew.accepted]);
  for (const { stderr } of [old, next]) assert.doesNotMatch(stderr(), /"level":"?(50|60|error|fatal)/);
  t.diagnostic(
    `${onOld.accepted.length} accepted by the version before, ${onNew.accepted.length} by this one`,
  );
});

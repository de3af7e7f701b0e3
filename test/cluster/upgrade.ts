/** `npm run test:upgrade`: a rolling upgrade from the version before. Not in `npm test`: it takes 18 s of processor time. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { ADMIN_TOKEN, collectReports, DEMO_ACCOUNT, Load, queueIsEmpty, tokenOf } from '../harness/load.ts';
import { startPostgres } from '../harness/postgres.ts';
import { startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { until } from '../harness/until.ts';

/** Version 0.1.0 as it was last: its newest migration is 0021. */
const VERSION_BEFORE = '67da6d8560b7539754e306a12d0d87576d551897';
const MESSAGES = 150;

/** The history may not be here: a shallow clone has only the newest commits, and a package has none. */
function whySkipped(): string | false {
  const { status } = spawnSync('git', ['cat-file', '-e', `${VERSION_BEFORE}^{commit}`]);
  return status === 0 ? false : 'the version before is not in the history of this checkout';
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
    BONGSU_DEMO_ACCOUNT: DEMO_ACCOUNT,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    BONGSU_SIMULATOR_LATENCY: '1-20ms',
  };
  const old = await startServer(t, env, [join(before, 'src/main.ts')]);
  const token = await tokenOf(old.url);
  const onOld = new Load([old.url], token, 4);
  const arrives = (what: string, load: Load, count: number) => {
    const wanted = load.accepted.length + count;
    return until(what, () => load.accepted.length >= wanted);
  };
  await arrives('the version before has work', onOld, MESSAGES);

  // It migrates while the other one works.
  const next = await startServer(t, env);
  assert.match(next.stderr(), /"event":"migrating".*0022-.*is done/);
  const onNew = new Load([next.url], token, 4);
  await Promise.all([
    arrives('the version before goes on on the new schema', onOld, MESSAGES),
    arrives('the new version accepts', onNew, MESSAGES),
  ]);

  await onOld.stop();
  assert.deepEqual(await old.stop(), { code: 0, signal: null });
  await arrives('the new version goes on alone', onNew, MESSAGES);
  await onNew.stop();
  await queueIsEmpty(next.url);

  const records = await collectReports(next.url, token);
  const accepted = [...onOld.accepted, ...onNew.accepted];
  assert.deepEqual(
    accepted.filter(msgKey => records.get(msgKey) !== 1),
    [],
    'each message is reported once, whichever version accepted it',
  );
  for (const { stderr } of [old, next]) assert.doesNotMatch(stderr(), /"level":"?(50|60|error|fatal)/);
  t.diagnostic(
    `${onOld.accepted.length} accepted by the version before, ${onNew.accepted.length} by this one`,
  );
});

/** The same client at an edge, whose messages all go to a core: the edge is configured by `bongsu init --upstream` alone. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN_TOKEN } from '../harness/credentials.ts';
import { bongsu, startServer } from '../harness/process.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { testPublicClient } from './infobank-js-suite.ts';

const PASSWORD = 'password-of-the-edge';
const PACE = 'interval: 20ms\n    idleInterval: 20ms';

testPublicClient('through an edge and a core', async t => {
  const core = await startServer(t, { BONGSU_DEMO_ACCOUNT: `edge:${PASSWORD}` });
  const env = {
    BONGSU_CONFIG: join(scratchDirectory(), 'bongsu.yaml'),
    BONGSU_DATA_DIR: scratchDirectory(),
    UPSTREAM_PASSWORD: PASSWORD,
  };
  const init = ['init', '--file', env.BONGSU_CONFIG, '--upstream', core.url, '--account', 'edge'];
  const { code, stderr } = await bongsu(init, env);
  assert.equal(code, 0, stderr);
  // As it stands, reports are fetched every few seconds: too slow for so many sends, one after the other.
  const paced = readFileSync(env.BONGSU_CONFIG, 'utf8').replace('kind: omni', `kind: omni\n    ${PACE}`);
  writeFileSync(env.BONGSU_CONFIG, paced);
  return startServer(t, { ...env, BONGSU_HEADER_PREFIXES: 'SVC,IB', BONGSU_ADMIN_TOKEN: ADMIN_TOKEN });
});

/**
 * A real Chromium for tests. One serves all files of a run (`shared.ts` starts it), and each file has windows of its own in
 * it; a file that is run by itself starts one. BONGSU_TEST_CHROMIUM says where the program is.
 */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PROGRAM = process.env.BONGSU_TEST_CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** Set by the run whose Chromium is shared. */
const SHARED_ADDRESS = 'BONGSU_TEST_SHARED_CHROMIUM';

/** Why tests with a browser cannot run here; false when they can or must. */
export const withoutBrowser: string | false =
  existsSync(PROGRAM) || process.env.BONGSU_TEST_REQUIRE_PEERS === '1'
    ? false
    : `needs Chromium at ${PROGRAM}`;

/** The windows opened through it end with `close()`, the Chromium of the run goes on. */
export function openBrowser(): Promise<Browser> {
  const address = process.env[SHARED_ADDRESS];
  return address ? chromium.connect(address) : chromium.launch({ executablePath: PROGRAM, args: ARGUMENTS });
}

/** For the processes that this one starts; resolves to its end. Nothing is shared where there is no Chromium. */
export async function shareBrowser(): Promise<() => Promise<void>> {
  if (!existsSync(PROGRAM)) return async () => {};
  const server = await chromium.launchServer({ executablePath: PROGRAM, args: ARGUMENTS, host: '127.0.0.1' });
  process.env[SHARED_ADDRESS] = server.wsEndpoint();
  return () => server.close();
}

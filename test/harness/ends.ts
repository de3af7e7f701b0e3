/**
 * Loaded before each test file: a file whose tests are over and that still does not end, because a test left something open,
 * fails and names what is open, instead of holding up the whole run.
 */
import { after } from 'node:test';
import { isMainThread } from 'node:worker_threads';

const LONGEST_END_MS = 60_000;

if (isMainThread) {
  after(() => {
    setTimeout(() => {
      const open = process.getActiveResourcesInfo().join(', ');
      process.stderr.write(`${process.argv[1]} does not end, because this is open: ${open}\n`);
      process.exit(1);
    }, LONGEST_END_MS).unref();
  });
}

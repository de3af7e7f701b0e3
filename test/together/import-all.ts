/**
 * Runs the tests of many files in this process. Alone each would start a process, load the gateway and compile it: that costs
 * more than the tests of most files.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export async function importAll(files: readonly string[]): Promise<void> {
  if (files.length === 0) throw new Error('there are no such tests');
  for (const file of files.toSorted()) await import(pathToFileURL(resolve(file)).href);
}

/** The behaviour tests in four parts of about the same length, so that they can run at the same time. */
import { globSync } from 'node:fs';
import { importAll } from './import-all.ts';

const PARTS = 4;

export function importPart(part: 1 | 2 | 3 | 4): Promise<void> {
  // What measures its process has one of its own.
  const files = globSync('test/behaviour/**/!(loop-delay).test.ts').toSorted();
  return importAll(files.filter((_, index) => index % PARTS === part % PARTS));
}

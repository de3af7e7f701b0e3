/** A value of bongsu.yaml that is kept in a file of its own, such as a password that an orchestrator mounts. */
import { readFileSync, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';

/** A key or a chain of certificates in PEM fits. */
const MOST_BYTES = 65_536;

/** What the file holds, without the newline at its end; or why it cannot be used, which never shows what it holds. */
export function readSecretFile(path: string): string | Error {
  if (!isAbsolute(path))
    return new Error(`expected the absolute path of a file in \${file:…} (was "${path}")`);
  try {
    const facts = statSync(path);
    // Reading a pipe or a device might never end.
    if (!facts.isFile()) return new Error(`${path} is not a file`);
    if (facts.size > MOST_BYTES) return new Error(`${path} is longer than ${MOST_BYTES} bytes`);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(path)).replace(/\r?\n$/, '');
    return text === '' ? new Error(`${path} is empty`) : text;
  } catch (error) {
    if (error instanceof TypeError) return new Error(`${path} is not UTF-8`);
    return new Error(`cannot read ${path} (${error instanceof Error ? error.message : error})`);
  }
}

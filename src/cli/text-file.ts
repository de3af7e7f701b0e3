/** Files that people give to a command, in the encodings in which spreadsheets save them. */
import { readFileSync } from 'node:fs';
import { decodeCp949 } from '../platform/cp949.ts';
import { WrongUsage } from './failure.ts';

export function readTextFile(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new WrongUsage(`cannot read ${file} (${(error as Error).message})`);
  }
  const text = decodeText(bytes);
  if (text === undefined) throw new WrongUsage(`${file}: the text is neither UTF-8 nor CP949`);
  return text;
}

/**
 * UTF-8; UTF-16 by its mark; otherwise CP949, in which Korean spreadsheets save CSV. Korean in CP949 is not valid UTF-8, so
 * the one is not taken for the other. Undefined if it is none of them.
 */
export function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decode('utf-16le', bytes);
  return decode('utf-8', bytes) ?? decodeCp949(bytes);
}

function decode(encoding: string, bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

export function readJsonFile(file: string): unknown {
  try {
    return JSON.parse(readTextFile(file));
  } catch (error) {
    if (error instanceof SyntaxError) throw new WrongUsage(`${file}: not JSON (${error.message})`);
    throw error;
  }
}

/** Uploaded files within a message: where they are named, and how. */
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import { type FileKey, parseFileKey } from '../ids.ts';
import { UPLOAD_ADDRESS } from './upload-address.ts';

/** How messages refer to files: MMS by the key, RCS by a `maapfile://` reference, messengers by an address of ours. */
const REFERENCES = [/^maapfile:\/\/([0-9A-Za-z]{32})$/i, UPLOAD_ADDRESS];

/** The key in the name of a file, if it has the shape of one of ours. */
export function fileKeyIn(name: string, namedBy: 'key' | 'media' | 'address'): FileKey | undefined {
  if (namedBy === 'key') return parseFileKey(name);
  for (const pattern of REFERENCES) {
    const key = parseFileKey(pattern.exec(name)?.[1] ?? '');
    if (key) return key;
  }
  return undefined;
}

/** References and the keys in them, in the order of the message, each once; undefined where it is no key of ours. */
export function referencesOf(message: Step): ReadonlyMap<string, FileKey | undefined> {
  const { files } = channelOf(message);
  if (files?.namedBy === 'key') {
    return new Map(files.uses(message).map(({ name }) => [name, parseFileKey(name)]));
  }
  const found = new Map<string, FileKey>();
  collect(message, found);
  return found;
}

function collect(value: unknown, found: Map<string, FileKey>): void {
  if (typeof value === 'string') {
    const key = fileKeyIn(value, 'media');
    if (key) found.set(value, key);
  } else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collect(item, found);
  }
}

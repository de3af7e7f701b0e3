/** Uploaded files within a message: where they are named, and how. */
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import { type FileKey, parseFileKey } from '../ids.ts';
import { uploadKeyIn } from './upload-address.ts';

const MEDIA = /^maapfile:\/\/([0-9A-Za-z]{32})$/i;

/**
 * The key in the name of a file, if it has the shape of one of ours. MMS refers to files by the key, RCS by a `maapfile://`
 * reference, messengers by an address of this gateway, which `publicUrl` tells.
 */
export function fileKeyIn(
  name: string,
  namedBy: 'key' | 'media' | 'address',
  publicUrl?: string,
): FileKey | undefined {
  switch (namedBy) {
    case 'key':
      return parseFileKey(name);
    case 'media':
      return parseFileKey(MEDIA.exec(name)?.[1] ?? '');
    case 'address':
      return uploadKeyIn(name, publicUrl);
  }
}

/** References and the keys in them, in the order of the message, each once; undefined where it is no key of ours. */
export function referencesOf(message: Step, publicUrl?: string): ReadonlyMap<string, FileKey | undefined> {
  const { files } = channelOf(message);
  if (!files) return new Map();
  if (files.namedBy === 'key') {
    return new Map(files.uses(message).map(({ name }) => [name, parseFileKey(name)]));
  }
  const found = new Map<string, FileKey>();
  if (files.namedBy === 'media') collect(message, found);
  // An address is an image only in the places of images: the same address may be the link of a button.
  else for (const { name } of files.uses(message)) note(name, uploadKeyIn(name, publicUrl), found);
  return found;
}

/** A template's own keys may hold references at any depth. */
function collect(value: unknown, found: Map<string, FileKey>): void {
  if (typeof value === 'string') note(value, fileKeyIn(value, 'media'), found);
  else if (typeof value === 'object' && value !== null) {
    for (const item of Object.values(value)) collect(item, found);
  }
}

function note(name: string, key: FileKey | undefined, found: Map<string, FileKey>): void {
  if (key) found.set(name, key);
}

/** The images that messages show their recipients, by the flow or by a recipient's words. */
import type { FileKey, MsgKey } from '../domain/ids.ts';
import { referencesOf } from '../domain/images/file-references.ts';
import { shownStep } from '../domain/text/substitution.ts';
import type { Store } from '../store/store.ts';

export interface NamedImages {
  /** Of messages that still have their texts: valid ones that belong to the account. */
  readonly images: ReadonlyMap<MsgKey, readonly FileKey[]>;
  /** Messages that cannot be read, or were deleted. */
  readonly unread: readonly MsgKey[];
}

export async function namedImages(
  store: Pick<Store, 'messages' | 'files'>,
  msgKeys: readonly MsgKey[],
  now: number,
): Promise<NamedImages> {
  const images = new Map<MsgKey, readonly FileKey[]>();
  const unread: MsgKey[] = [];
  for (const msgKey of msgKeys) {
    const message = await store.messages.find(msgKey);
    if (!message) unread.push(msgKey);
    if (!message || message.textRemovedAt !== undefined) continue;
    const { account, flow, words } = message;
    const named = flow.flatMap(step => [...referencesOf(shownStep(step, words)).values()]);
    const keys = named.filter(key => key !== undefined);
    if (keys.length === 0) continue;
    const files = await store.files.find(account, keys);
    const valid = files.filter(({ expiresAt }) => now < expiresAt).map(({ fileKey }) => fileKey);
    if (valid.length > 0) images.set(msgKey, valid);
  }
  return { images, unread };
}

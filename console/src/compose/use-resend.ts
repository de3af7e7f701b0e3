/** The composer writes a copy that goes out in the place of failed messages; see desk/copy-address.ts. */
import { useState } from 'preact/hooks';
import { type Copied, copiedIn } from '../desk/copy-address.ts';
import { Refusal } from '../gateway/call.ts';
import { resendMessages } from '../gateway/resend.ts';
import type { Words } from '../words/en.ts';
import type { SendRequest } from './draft.ts';

export interface Resend {
  readonly msgKeys: readonly string[];
  /** The message that the copy begins with; it stays when some are sent. */
  readonly like: string | undefined;
  /** Resolves to the address of what was sent. Those that were not stay; the reason is thrown. */
  readonly send: (copy: SendRequest, t: Words) => Promise<string>;
}

export function useResend(query: URLSearchParams): Resend | undefined {
  const asked = query.toString();
  const [left, setLeft] = useState<{ readonly asked: string; readonly copied: Copied } | undefined>();
  // What is left counts for this address only: the composer stays when it is opened again without one.
  const copied = left?.asked === asked ? left.copied : copiedIn(query);
  if (!copied) return undefined;
  return {
    msgKeys: copied.msgKeys,
    like: copiedIn(query)?.msgKeys[0],
    async send(copy, t) {
      const results = await resendMessages({ ...copied, copy }, () => {});
      const [refused] = results.filter(({ newKey }) => newKey === null);
      const sent = results.filter(({ newKey }) => newKey !== null);
      if (!refused) return sent.length === 1 ? `/messages/${sent[0]?.newKey}` : '/messages';
      const msgKeys = results.filter(({ newKey }) => newKey === null).map(({ msgKey }) => msgKey);
      setLeft({ asked, copied: { ...copied, msgKeys } });
      const reason =
        results.length === 1
          ? refused.result
          : t.desk.partlySent(sent.length, results.length, refused.result);
      throw new Refusal(reason, refused.code);
    },
  };
}

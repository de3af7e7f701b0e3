/** The composer writes a copy that goes out in the place of failed messages; see desk/copy-address.ts. */
import { useState } from 'preact/hooks';
import { type Copied, copiedIn } from '../desk/copy-address.ts';
import { Refusal } from '../gateway/call.ts';
import { resendMessages } from '../gateway/resend.ts';
import type { Words } from '../words/en.ts';
import type { SendRequest } from './draft.ts';

export interface Resend {
  readonly msgKeys: readonly string[];
  /** Resolves to the address of what was sent. Those that were not stay; the reason is thrown. */
  readonly send: (copy: SendRequest, t: Words) => Promise<string>;
}

export function useResend(query: URLSearchParams): Resend | undefined {
  const [copied, setCopied] = useState<Copied | undefined>(() => copiedIn(query));
  if (!copied) return undefined;
  return {
    msgKeys: copied.msgKeys,
    async send(copy, t) {
      const results = await resendMessages({ ...copied, copy }, () => {});
      const [refused] = results.filter(({ newKey }) => newKey === null);
      const sent = results.filter(({ newKey }) => newKey !== null);
      if (!refused) return sent.length === 1 ? `/messages/${sent[0]?.newKey}` : '/messages';
      const left = new Set(results.filter(({ newKey }) => newKey === null).map(({ msgKey }) => msgKey));
      setCopied({ ...copied, msgKeys: copied.msgKeys.filter(msgKey => left.has(msgKey)) });
      const reason =
        results.length === 1
          ? refused.result
          : t.desk.partlySent(sent.length, results.length, refused.result);
      throw new Refusal(reason, refused.code);
    },
  };
}

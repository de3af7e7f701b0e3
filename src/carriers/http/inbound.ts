/** Messages of people that the provider brings: where in its calls the sender, the number, the text and the id are. */
import type { CarrierHost, CarrierInbound } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import type { InboundOptions } from './options.ts';
import { compilePointer } from './outcome.ts';
import type { Pointer } from './pointer.ts';

export interface ReadInbound {
  readonly messages: readonly CarrierInbound[];
  /** Entries without an id, a sender or a number. */
  readonly incomplete: number;
}

/** Undefined if no entry is a message. */
export type InboundReader = (entries: readonly unknown[]) => ReadInbound | undefined;

const LONGEST_TEXT = 20_000;
/** Control characters but line ends and tabs, and halves of pairs: no store takes them. */
const NOT_TEXT = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

export function compileInbound(options: InboundOptions, path: string, problems: string[]): InboundReader {
  const pointerTo = (name: 'id' | 'from' | 'to' | 'text') =>
    compilePointer(options[name], `${path}.${name}`, problems);
  const [id, from, to, text] = [pointerTo('id'), pointerTo('from'), pointerTo('to'), pointerTo('text')];
  return entries => {
    const messages: CarrierInbound[] = [];
    let incomplete = 0;
    for (const entry of entries) {
      const parties = { id: wordAt(id, entry), from: wordAt(from, entry), to: wordAt(to, entry) };
      if (parties.id === '' || parties.from === '' || parties.to === '') {
        incomplete++;
        continue;
      }
      const said = (text?.text(entry) ?? '').replace(NOT_TEXT, '').slice(0, LONGEST_TEXT).toWellFormed();
      messages.push({
        from: parties.from,
        to: parties.to,
        content: { kind: 'text', text: said, id: parties.id },
      });
    }
    return messages.length === 0 && incomplete > 0 ? undefined : { messages, incomplete };
  };
}

function wordAt(pointer: Pointer | undefined, entry: unknown): string {
  return cleanText(pointer?.text(entry) ?? '');
}

/** Hands messages on and reports those that could not be read; rejects when they must be sent again. */
export async function deliverInbound(
  { messages, incomplete }: ReadInbound,
  host: Pick<CarrierHost, 'receiveInbound' | 'noticed'>,
): Promise<void> {
  if (incomplete > 0) host.noticed('inboundIncomplete', { count: incomplete });
  if (messages.length > 0) await host.receiveInbound(messages);
}

/** Messages of people that the provider brings: where in its calls the sender, the number, the text and the id are. */
import type { CarrierHost, CarrierInbound } from '../carrier.ts';
import { cleanText } from '../clean-text.ts';
import type { InboundOptions } from './options.ts';
import { compilePointer } from './outcome.ts';
import type { Pointer } from './pointer.ts';

/** Undefined if an entry lacks what every message has: then nothing of the call is taken. */
export type InboundReader = (entries: readonly unknown[]) => readonly CarrierInbound[] | undefined;

const LONGEST_TEXT = 20_000;
/** Control characters but line ends and tabs, and halves of pairs: no store takes them. */
const NOT_TEXT = /[^\P{Cc}\t\n\r]|\p{Cs}/gu;

export function compileInbound(options: InboundOptions, path: string, problems: string[]): InboundReader {
  const pointerTo = (name: 'id' | 'from' | 'to' | 'text') =>
    compilePointer(options[name], `${path}.${name}`, problems);
  const [id, from, to, text] = [pointerTo('id'), pointerTo('from'), pointerTo('to'), pointerTo('text')];
  return entries => {
    const messages: CarrierInbound[] = [];
    for (const entry of entries) {
      const parties = { id: wordAt(id, entry), from: wordAt(from, entry), to: wordAt(to, entry) };
      if (parties.id === '' || parties.from === '' || parties.to === '') return undefined;
      const said = (text?.text(entry) ?? '').replace(NOT_TEXT, '').slice(0, LONGEST_TEXT).toWellFormed();
      messages.push({
        from: parties.from,
        to: parties.to,
        content: { kind: 'text', text: said, id: parties.id },
      });
    }
    return messages;
  };
}

function wordAt(pointer: Pointer | undefined, entry: unknown): string {
  return cleanText(pointer?.text(entry) ?? '');
}

/** Hands messages on; rejects when they must be sent again. */
export async function deliverInbound(
  messages: readonly CarrierInbound[],
  host: Pick<CarrierHost, 'receiveInbound'>,
): Promise<void> {
  if (messages.length > 0) await host.receiveInbound(messages);
}

/** The draft in the composer: a flow and a recipient, and the request made from them. A single step is a single send. */
import { CHANNELS, type Channel } from '../gateway/steps.ts';
import { type Entry, isEntry, listAt, textAt } from './entry.ts';
import { withContent } from './rcs-content.ts';

export interface StepDraft {
  /** Identifies the step while steps are reordered. */
  readonly id: number;
  readonly channel: Channel;
  readonly entry: Entry;
}

export interface Word {
  readonly name: string;
  readonly value: string;
}

export interface Draft {
  readonly steps: readonly StepDraft[];
  readonly to: string;
  readonly ref: string;
  readonly groupKey?: string;
  readonly words: readonly Word[];
  /** Of a combined send that was opened again: its other members. It stays one, for a single send may say less. */
  readonly flow?: Entry;
}

export type SendKind = Channel | 'omni';

export interface SendRequest {
  readonly kind: SendKind;
  readonly body: Entry;
}

export function requestOf({ steps, to, ref, groupKey, words, flow }: Draft): SendRequest {
  const about = { ...(ref && { ref }), ...(groupKey && { groupKey }) };
  const replaceWords = Object.fromEntries(
    words.filter(({ name }) => name).map(word => [word.name, word.value]),
  );
  const hasWords = Object.keys(replaceWords).length > 0;
  const [first] = steps;
  const isPlain = !hasWords && flow === undefined;
  if (first && steps.length === 1 && (isPlain || first.channel === 'international')) {
    const { from, ...rest } = first.entry;
    return {
      kind: first.channel,
      body: { ...(from !== undefined && { from }), to, ...rest, ...about },
    };
  }
  return {
    kind: 'omni',
    body: {
      messageFlow: steps.map(({ channel, entry }) => ({ [channel]: entry })),
      destinations: [{ to, ...(hasWords && { replaceWords }) }],
      ...flow,
      ...about,
    },
  };
}

/** The draft of an existing request, such as one that was sent. */
export function draftOf(kind: string, body: unknown): Draft {
  const flow = kind === 'omni' ? listAt(body, 'messageFlow') : singleFlow(kind, body);
  const steps = flow.flatMap((item, id): StepDraft[] => {
    const [name, entry] = Object.entries(isEntry(item) ? item : {})[0] ?? [];
    const channel = CHANNELS.find(known => known === name);
    if (!channel || !isEntry(entry)) return [];
    return [{ id, channel, entry: channel === 'rcs' ? withContent(entry) : entry }];
  });
  const destination = kind === 'omni' ? listAt(body, 'destinations')[0] : body;
  const words = isEntry(destination) && isEntry(destination.replaceWords) ? destination.replaceWords : {};
  return {
    steps,
    to: textAt(destination, 'to'),
    ref: textAt(body, 'ref'),
    ...(textAt(body, 'groupKey') && { groupKey: textAt(body, 'groupKey') }),
    words: Object.entries(words).map(([name, value]) => ({ name, value: String(value) })),
    ...(kind === 'omni' && isEntry(body) && { flow: othersOf(body) }),
  };
}

function othersOf({ messageFlow, destinations, ref, groupKey, ...others }: Entry): Entry {
  return others;
}

/** Whether the form can show all of a request: one recipient, and messages of its own. */
export function isDraftable({ kind, body }: SendRequest): boolean {
  if (kind !== 'omni') return true;
  const flow = listAt(body, 'messageFlow');
  return (
    flow.length > 0 &&
    draftOf(kind, body).steps.length === flow.length &&
    listAt(body, 'destinations').length === 1
  );
}

/** A single send as a flow: its fallback is the second step. */
function singleFlow(channel: string, body: unknown): Entry[] {
  if (!isEntry(body)) return [];
  const { to, ref, groupKey, fallback, ...entry } = body;
  if (!isEntry(fallback)) return [{ [channel]: entry }];
  const { type, ...second } = fallback;
  return [
    { [channel]: entry },
    {
      [type === 'MMS' ? 'mms' : 'sms']: { ...(entry.from !== undefined && { from: entry.from }), ...second },
    },
  ];
}

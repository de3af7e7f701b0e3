/**
 * Messages that people send to numbers of accounts, from the carrier into the store. A message is acknowledged to the carrier
 * only after it is stored together with its account; its rules (rules.ts) are applied again after a crash.
 */
import type { CarrierInbound, InboundName, InboundPart } from '../carriers/carrier.ts';
import { BASE32, type MsgKey, timePrefix } from '../domain/ids.ts';
import {
  handsetOf,
  type OwnedInbound,
  ownerOf,
  type RegisteredNumber,
  registeredWritings,
} from '../domain/inbound/inbound.ts';
import { backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { whenTrusted } from '../platform/cluster-clock.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { NewInbound, Store, StoredInboundPart } from '../store/store.ts';
import { RULES_PATIENCE_MS } from './rules.ts';

export interface Inbound {
  /** Resolves when they are stored; rejects when the carrier must send them again. */
  receive(carrier: string, messages: readonly CarrierInbound[]): Promise<readonly InboundName[]>;
  confirm(names: readonly InboundName[]): Promise<void>;
  start(): void;
  stop(): Promise<void>;
}

const RANDOM_PART = 22;
/** Our choice: a long message is stored without its rest if no part has come for an hour. */
const PARTS_WAIT_MS = 3_600_000;
/** Messages that are joined at the same time. */
const STALE_CHUNK = 50;
/** In the place of parts that did not come. */
const MISSING = '[…]';

export function createInbound(deps: {
  readonly store: Pick<Store, 'inbound'>;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Pick<Events, 'failed' | 'inbound'>;
  /** Octets of a carrier as text. */
  readonly readOctets: (alphabet: string, octets: Uint8Array) => string;
  /** New messages of accounts: their rules are to be applied. */
  readonly onReceived: (messages: readonly OwnedInbound[]) => void;
}): Inbound {
  const { clock, random, events, readOctets } = deps;
  const { inbound: store } = deps.store;
  const joiner = backgroundTask(deps, 'inbound parts', whenTrusted(clock, joinStale));

  return {
    async receive(carrier, messages) {
      const whole = messages.filter(({ content }) => content.kind === 'text');
      const registered = await ownersOf(whole.map(({ to }) => to));
      const names = new Map<CarrierInbound, InboundName>();
      const fresh = whole.map(({ from, to, content }) => {
        const { text = '', id, occurrence = 0 } = content.kind === 'text' ? content : {};
        return newInbound(registered, {
          carrier,
          from: handsetOf(from),
          to,
          text,
          carrierId: id,
          occurrence,
        });
      });
      const added = fresh.length === 0 ? [] : await store.add(fresh);
      for (const [index, { msgKey, isNew }] of added.entries()) {
        const message = whole[index];
        if (message) names.set(message, { msgKey });
        const stored = fresh[index];
        if (stored) noteStored(stored, isNew);
      }
      for (const message of messages) {
        const { content } = message;
        if (content.kind === 'part') names.set(message, await addPart(carrier, message, content));
      }
      return messages.map(message => names.get(message) ?? { part: 0 });
    },
    async confirm(names) {
      const keys = names.flatMap(name => ('msgKey' in name ? [name.msgKey as MsgKey] : []));
      const parts = names.flatMap(name => ('part' in name ? [name.part] : []));
      await store.confirm(keys, parts);
    },
    start: () => joiner.start(),
    stop: () => joiner.stop(),
  };

  async function addPart(
    carrier: string,
    { from, to }: CarrierInbound,
    { reference, part, total, alphabet, octets }: InboundPart,
  ): Promise<InboundName> {
    const added = await store.addPart({
      ...{ carrier, to, from: handsetOf(from), reference, part, total, alphabet },
      octets: Buffer.from(octets).toString('base64'),
      receivedAt: clock.now(),
    });
    if (added.complete) await join(added.complete);
    return { part: added.id };
  }

  async function join(parts: readonly StoredInboundPart[]): Promise<void> {
    const [first] = parts;
    if (!first) return;
    const { carrier, from, to } = first;
    const registered = await ownersOf([to]);
    const text = textOf(parts);
    const known = { carrierId: undefined, occurrence: undefined };
    const receivedAt = Math.max(...parts.map(part => part.receivedAt));
    const message = { ...newInbound(registered, { carrier, from, to, text, ...known }), receivedAt };
    const isNew = await store.join(
      parts.map(({ id }) => id),
      message,
    );
    if (isNew) noteStored(message, true);
  }

  /** Characters may be cut between two parts, so octets are joined; where a part is missing, texts. */
  function textOf(parts: readonly StoredInboundPart[]): string {
    const alphabet = parts[0]?.alphabet ?? '';
    const runs: Buffer[][] = [[]];
    let next = 1;
    for (const { part, octets } of parts) {
      if (part > next) runs.push([]);
      runs.at(-1)?.push(Buffer.from(octets, 'base64'));
      next = part + 1;
    }
    const texts = runs.map(run => readOctets(alphabet, Buffer.concat(run)));
    const total = parts[0]?.total ?? 0;
    return texts.join(MISSING) + (next <= total ? MISSING : '');
  }

  /** A message that cannot be stored holds up no other: it is skipped, and tried again in the next run. */
  async function joinStale(now: number): Promise<void> {
    let failed = 0;
    for (;;) {
      const messages = await store.staleParts(now - PARTS_WAIT_MS, STALE_CHUNK, failed);
      if (messages.length === 0) return;
      for (const result of await Promise.allSettled(messages.map(join))) {
        if (result.status === 'fulfilled') continue;
        failed++;
        events.failed('inbound parts', result.reason);
      }
    }
  }

  async function ownersOf(numbers: readonly string[]): Promise<readonly RegisteredNumber[]> {
    const writings = new Set(numbers.flatMap(registeredWritings));
    return writings.size === 0 ? [] : store.owners([...writings]);
  }

  function newInbound(
    registered: readonly RegisteredNumber[],
    message: Pick<NewInbound, 'carrier' | 'from' | 'to' | 'text' | 'carrierId' | 'occurrence'>,
  ): NewInbound {
    const now = clock.now();
    const owner = ownerOf(registered, message.to, message.text);
    return {
      ...message,
      msgKey: (timePrefix(now) + random.characters(RANDOM_PART, BASE32)) as MsgKey,
      account: owner?.account,
      to: owner?.entry.number ?? message.to,
      keyword: owner?.entry.keyword,
      receivedAt: now,
      rulesAt: owner && now + RULES_PATIENCE_MS,
    };
  }

  function noteStored(message: NewInbound, isNew: boolean): void {
    const { account, carrier, msgKey, from, to, text, keyword, receivedAt } = message;
    events.inbound({ msgKey, account, carrier, from }, isNew);
    if (!isNew || account === undefined) return;
    deps.onReceived([{ msgKey, account, carrier, from, to, text, keyword, receivedAt }]);
  }
}

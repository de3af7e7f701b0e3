/**
 * People at their handsets: they write to the number of an account, some of them to be left alone, and the carrier repeats what
 * nobody acknowledged. And recipients who have the account stop sending to them, or allow it again.
 */
import type { CarrierInbound, InboundName } from '../../src/carriers/carrier.ts';
import type { AccountId } from '../../src/domain/ids.ts';
import type { ManualClock } from '../../src/platform/clock.ts';
import type { Store } from '../../src/store/store.ts';
import { type Calls, outcomeOf } from './calls.ts';
import type { Ledger } from './ledger.ts';
import type { Recipients } from './recipients.ts';
import type { RunningNode } from './running-node.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { SimulatedPeer } from './simulated-peer.ts';
import type { Trace } from './trace.ts';

/** The number of an account. */
export const INBOUND_NUMBER = '15881234';
const AGAIN_MS = 2000;
const ACKNOWLEDGED_WITHIN_MS = 12_000;
const MOST_FOUND = 10_000;

interface Parts {
  readonly clock: ManualClock;
  readonly ledger: Ledger;
  readonly trace: Trace;
  readonly calls: Calls;
  readonly recipients: Recipients;
  readonly store: () => Store;
}

export class People {
  readonly #parts: Parts;
  /** What was said, by the number of who said it. */
  readonly #said = new Map<
    string,
    { readonly text: string; readonly isStop: boolean; acknowledgedAt: number }
  >();
  #unacknowledged = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Messages and parts that the carriers still repeat. */
  get unacknowledged(): number {
    return this.#unacknowledged;
  }

  async optOut(node: RunningNode, account: AccountId, random: SeededRandom): Promise<void> {
    const { calls, clock, recipients, trace } = this.#parts;
    const number = recipients.regular(random);
    const author = { way: 'api', by: account } as const;
    if (random.chance(0.2)) {
      recipients.consents(account, number);
      const consent = { number: canonical(number), sender: undefined };
      await calls.make('consent', node, () => node.parts.optOuts.consent(account, [consent], author));
      return;
    }
    recipients.asksOut(account, number);
    const entry = { number: canonical(number), sender: '*', covers: 'all', source: undefined } as const;
    const answer = await calls.make('opt out', node, () => node.parts.optOuts.add(account, [entry], author));
    trace.note(account, `opts ${number} out: ${outcomeOf(answer)}`);
    if (outcomeOf(answer) === 'done') recipients.isOut(account, number, clock.monotonic());
  }

  /** Somebody writes to the account, in one part or two. */
  say(peer: SimulatedPeer, random: SeededRandom): void {
    const from = this.#parts.recipients.stranger();
    const isStop = random.chance(0.3);
    const text = isStop ? 'STOP' : `message of ${from}`;
    this.#said.set(from, { text, isStop, acknowledgedAt: 0 });
    const to = INBOUND_NUMBER;
    const id = random.chance(0.5) ? `mo ${from}` : undefined;
    if (random.chance(0.7)) {
      const content = { kind: 'text', text, ...(id !== undefined && { id }) } as const;
      this.#deliver(peer, { from, to, content }, random.fork('whole'));
      return;
    }
    const cut = random.between(1, text.length - 1);
    for (const [index, words] of [text.slice(0, cut), text.slice(cut)].entries()) {
      const part = {
        reference: '7',
        part: index + 1,
        total: 2,
        alphabet: 'latin1',
        octets: Buffer.from(words),
      };
      this.#deliver(peer, { from, to, content: { kind: 'part', ...part } }, random.fork(`part ${index}`));
    }
  }

  /** By any link, again and again until it is acknowledged, some a second time after that. */
  #deliver(peer: SimulatedPeer, message: CarrierInbound, random: SeededRandom): void {
    const { clock, trace } = this.#parts;
    this.#unacknowledged++;
    let isAcknowledged = false;
    let underWay = 0;
    const send = () => {
      const links = peer.links.filter(({ isUp }) => isUp);
      const again = () => clock.schedule(random.between(100, AGAIN_MS), send);
      if (links.length === 0) {
        again();
        return;
      }
      const link = random.pick(links);
      let isOver = false;
      const giveUp = clock.schedule(ACKNOWLEDGED_WITHIN_MS, () => over(again));
      const over = (then: () => void) => {
        if (isOver) return;
        isOver = true;
        giveUp();
        then();
      };
      const acknowledged = (names: readonly InboundName[]) => {
        trace.note(peer.name, `inbound of ${message.from} acknowledged`);
        if (!isAcknowledged) this.#unacknowledged--;
        isAcknowledged = true;
        const said = this.#said.get(message.from);
        if (said) said.acknowledgedAt = clock.monotonic();
        // Where the acknowledgement is lost, it is sent again. Confirmed is only what nobody may still read a second time.
        if (random.chance(0.3)) again();
        else if (underWay === 0) link.confirmInbound(names);
      };
      underWay++;
      link.receiveInbound([message]).then(
        names => {
          underWay--;
          over(() => acknowledged(names));
        },
        () => {
          underWay--;
          over(again);
        },
      );
    };
    clock.schedule(random.between(0, AGAIN_MS), send);
  }

  /** The store is again as it was at this moment: what was acknowledged later is lost, or a part of it. */
  restored(at: number): void {
    for (const [from, { acknowledgedAt }] of this.#said) if (acknowledgedAt >= at) this.#said.delete(from);
  }

  /** Those who asked to be left alone and are not on the list yet: a rule that failed is applied again half a minute later. */
  async unlisted(account: AccountId): Promise<string[]> {
    const asked = [...this.#said].filter(([, { isStop, acknowledgedAt }]) => isStop && acknowledgedAt > 0);
    const unlisted: string[] = [];
    for (const [from] of asked) if ((await this.#listed(account, from)) === 0) unlisted.push(from);
    return unlisted;
  }

  async #listed(account: AccountId, from: string): Promise<number> {
    const entries = await this.#parts.store().optOuts.page(account, { number: canonical(from), limit: 10 });
    return entries.length;
  }

  /** At rest: what was acknowledged is stored once as it was said, and who asked to be left alone is on the list. */
  async check(account: AccountId): Promise<void> {
    const { ledger, store } = this.#parts;
    if (this.#said.size === 0) return;
    const query = { since: 0, from: undefined, to: undefined, after: undefined, limit: MOST_FOUND } as const;
    const stored = await store().inbound.list({ ...query, account, order: 'oldest' });
    for (const [from, { text, isStop }] of this.#said) {
      const found = stored.filter(message => message.from === from);
      if (found.length === 0) ledger.violated('an inbound message is lost', from);
      if (found.length > 1) ledger.violated('an inbound message is stored twice', from);
      const [message] = found;
      if (message?.text !== undefined && message.text !== text)
        ledger.violated('an inbound message is not what was said', `${from}: ${message.text}`);
      if (!isStop || !message) continue;
      const listed = await this.#listed(account, from);
      if (listed !== 1) ledger.violated('an opt-out by text is not listed once', `${from}: ${listed}`);
    }
  }
}

function canonical(number: string): string {
  return `+82${number.slice(1)}`;
}

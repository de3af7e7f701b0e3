/**
 * What is done with a message that somebody sent to an account: it may take the sender off a list, and it may be answered.
 *
 * The node that stored the message does this at once. If that node dies before the result is stored, another one does it again
 * later. Doing it twice must give the same result: the answer is sent under an idempotency key.
 *
 * Messages are independent of each other. One that fails is due again later and holds up no other, and no opt-out waits for
 * an answer to somebody else.
 */
import type { OptOutByKeyword, OwnedInbound } from '../domain/inbound/inbound.ts';
import { ownerOf, registeredWritings } from '../domain/inbound/inbound.ts';
import { backgroundTask } from '../observe/background.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import type { InboundReply, Store, StoredInbound } from '../store/store.ts';

/** Time that the node which stored a message has to apply its rules. */
export const RULES_PATIENCE_MS = 30_000;
const CHUNK = 100;
/** Our choice: an answer that comes later than this surprises more than it helps. */
const LATEST_REPLY_MS = 3_600_000;
/** Answers to one sender in an hour: two machines that answer each other would never end. */
const MOST_REPLIES = 10;
/** Our choice: a sender who writes more often in an hour than this is a machine. */
const MOST_MESSAGES = 200;
const REPLIES_PER_MS = 3_600_000;

/** Sends an answer; the same message is answered once, however often this is called. Rejects if it is to be tried again. */
export type SendReply = (mo: OwnedInbound, text: string) => Promise<InboundReply>;

export interface InboundRules {
  apply(messages: readonly OwnedInbound[]): void;
  start(): void;
  stop(): Promise<void>;
}

export function createInboundRules(deps: {
  readonly store: Pick<Store, 'inbound'>;
  readonly clock: Clock;
  readonly events: Pick<Events, 'failed'>;
  readonly optOut: OptOutByKeyword;
  readonly sendReply: SendReply;
}): InboundRules {
  const { clock, events, optOut, sendReply } = deps;
  const { inbound: store } = deps.store;
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  const task = backgroundTask(deps, 'inbound rules', applyDue);

  return {
    apply(messages) {
      if (isStopped) return;
      for (const message of messages) {
        const applying = applyTo(message).catch(error => events.failed('inbound rules', error));
        underWay.add(applying);
        void applying.then(() => underWay.delete(applying));
      }
    },
    start: () => task.start(),
    async stop() {
      isStopped = true;
      await task.stop();
      await Promise.all(underWay);
    },
  };

  async function applyDue(): Promise<void> {
    while (!isStopped) {
      const now = clock.trusted();
      if (now === undefined) return;
      const due = await store.dueRules(now, now + RULES_PATIENCE_MS, CHUNK);
      const others: StoredInbound[] = [];
      await each(due, async message => {
        if (isOwned(message) && (await optOut(message))) await store.rulesApplied(message.msgKey, undefined);
        else others.push(message);
      });
      await each(others, async message => {
        const reply = isOwned(message) ? (message.reply ?? (await replyTo(message))) : undefined;
        await store.rulesApplied(message.msgKey, reply);
      });
      if (due.length < CHUNK) return;
    }
  }

  /** What fails is due again later. */
  async function each<T>(list: readonly T[], task: (item: T) => Promise<void>): Promise<void> {
    const results = await Promise.allSettled(list.map(task));
    const failed = results.filter(({ status }) => status === 'rejected');
    const [first] = failed;
    if (first?.status === 'rejected')
      events.failed('inbound rules', first.reason, { messages: failed.length });
  }

  async function applyTo(mo: OwnedInbound): Promise<void> {
    const isOptOut = await optOut(mo);
    await store.rulesApplied(mo.msgKey, isOptOut ? undefined : await replyTo(mo));
  }

  async function replyTo(mo: OwnedInbound): Promise<InboundReply | undefined> {
    const owner = ownerOf(await store.owners(registeredWritings(mo.to)), mo.to, mo.text);
    const text = owner?.account === mo.account ? owner.entry.reply : undefined;
    if (text === undefined) return undefined;
    const now = clock.now();
    if (now - mo.receivedAt > LATEST_REPLY_MS) return { problem: 'late' };
    const { from, to, msgKey: before } = mo;
    const since = now - REPLIES_PER_MS;
    const { messages, answered } = await store.countFrom({ from, to, since, before, most: MOST_MESSAGES });
    if (answered >= MOST_REPLIES || messages >= MOST_MESSAGES) return { problem: 'tooMany' };
    return sendReply(mo, text);
  }
}

function isOwned(message: StoredInbound): message is StoredInbound & OwnedInbound {
  return message.account !== undefined && message.text !== undefined;
}

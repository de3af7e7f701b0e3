/** Puts inbound/ together: messages of people into the store, and what is done with them. */

import { withoutDuplicateGuard } from '../accept/duplicates.ts';
import { Replayed } from '../accept/idempotency.ts';
import type { SendOperation } from '../accept/send.ts';
import { readOctets } from '../carriers/smpp/inbound-text.ts';
import type { Config } from '../config/config.ts';
import { CHANNEL_TABLE } from '../domain/channels/channel-table.ts';
import { BASE32, type MsgKey } from '../domain/ids.ts';
import type { OptOutByKeyword, OwnedInbound } from '../domain/inbound/inbound.ts';
import { Problem } from '../domain/request/problem.ts';
import { measureEucKr } from '../domain/text/euc-kr.ts';
import { createInbound, type Inbound } from '../inbound/receive.ts';
import { createInboundRules, type SendReply } from '../inbound/rules.ts';
import type { Events } from '../observe/events.ts';
import type { Clock } from '../platform/clock.ts';
import { sha256 } from '../platform/hashing.ts';
import type { Randomness } from '../platform/randomness.ts';
import type { Store } from '../store/store.ts';

const LONGEST_SMS_BYTES = 90;
const SAID_ID_LENGTH = 20;
/** Load and the store: worth another try. */
const TEMPORARY = ['A020', 'A920', 'A999'];

export function composeInbound(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Randomness;
  readonly events: Events;
  readonly send: () => Pick<SendOperation, 'sendSingle'>;
  readonly optOut: OptOutByKeyword;
  /** Messages of accounts were stored: they can be handed over. */
  readonly onReceived: (messages: readonly OwnedInbound[]) => void;
}): Inbound {
  const { store, clock, random, events, optOut } = deps;
  const sendReply = createSendReply(store, deps.send);
  const rules = createInboundRules({ store, clock, events, optOut, sendReply });
  const inbound = createInbound({
    ...{ store, clock, random, events, readOctets },
    onReceived: messages => {
      rules.apply(messages);
      deps.onReceived(messages);
    },
  });
  return {
    ...inbound,
    start() {
      rules.start();
      inbound.start();
    },
    async stop() {
      await inbound.stop();
      await rules.stop();
    },
  };
}

/** As a message of the account, from the number that was written to. */
function createSendReply(store: Store, send: () => Pick<SendOperation, 'sendSingle'>): SendReply {
  return async (mo, text) => {
    const account = await store.accounts.find(mo.account);
    if (!account || account.blocked) return { problem: 'blocked' };
    const { request } = CHANNEL_TABLE[channelFor(mo.from, text)];
    const single = request.readSingle({ from: mo.to, to: mo.from, text });
    if (single instanceof Problem) return { problem: single.code };
    const idempotency = { key: `reply to ${mo.msgKey}`, bodyHash: sha256(mo.msgKey) };
    const answer = await send().sendSingle(
      withoutDuplicateGuard(account),
      single,
      msgKey => msgKey,
      idempotency,
    );
    if (!(answer instanceof Problem)) {
      return { msgKey: (answer instanceof Replayed ? answer.body : answer) as MsgKey };
    }
    if (TEMPORARY.includes(answer.code)) throw new Error(`the answer was refused: ${answer.code}`);
    return { problem: answer.code };
  };
}

function channelFor(to: string, text: string): 'sms' | 'mms' | 'international' {
  if (to.startsWith('+')) return 'international';
  const measured = measureEucKr(text);
  return 'bytes' in measured && measured.bytes <= LONGEST_SMS_BYTES ? 'sms' : 'mms';
}

/** Without a running gateway: what a handset of the sandbox says is stored, and the next node applies its rules. */
export async function simulateInStore(
  config: Pick<Config, 'mode'>,
  deps: { readonly store: Store; readonly clock: Clock; readonly random: Randomness },
  { from, to, text }: { readonly from: string; readonly to: string; readonly text: string },
): Promise<string | undefined> {
  if (config.mode !== 'sandbox') return undefined;
  const silent = { failed() {}, inbound() {} };
  const inbound = createInbound({ ...deps, events: silent, readOctets, onReceived() {} });
  const id = deps.random.characters(SAID_ID_LENGTH, BASE32);
  const [name] = await inbound.receive('simulator', [{ from, to, content: { kind: 'text', text, id } }]);
  return name && 'msgKey' in name ? name.msgKey : undefined;
}

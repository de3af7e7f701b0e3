/** The engine's side: answers the calls of one thread that speaks HTTP, and takes its notes. */
import type { Replayed } from '../../accept/idempotency.ts';
import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Events } from '../../observe/events.ts';
import type { NoteLoad } from '../../observe/thread-loads.ts';
import type { Soon } from '../../platform/soon.ts';
import { answerThread, type PlainValues, type Port } from '../../platform/thread-calls.ts';
import { type DeskDeps, sendFor, tokenFor } from '../contract/desk.ts';
import type { ExplainFailure } from '../failure.ts';
import type { Observe } from '../measured.ts';
import {
  type PackedCall,
  type PackedNote,
  packAnswer,
  unpackCaller,
  unpackReport,
  unpackSend,
  unpackToken,
} from './packed-calls.ts';

export interface DeskServiceDeps extends DeskDeps {
  readonly events: Pick<Events, 'refused' | 'failed'>;
  readonly observe: Observe;
  readonly connectionsClosed: (count: number) => void;
  readonly noteLoad: NoteLoad;
  readonly explainFailure: ExplainFailure;
}

export function serveDesk(port: Port, deps: DeskServiceDeps): void {
  const { access, callers, answerReport, send, reservations, events } = deps;
  /** Numbers of calls for tokens whose callers wait. */
  const waiting = new Set<number>();
  let failures = 0;

  answerThread(port, answer, take);

  async function answer(values: PlainValues): Promise<PlainValues> {
    try {
      const answered = await answerTo(values);
      return packAnswer(answered instanceof Problem ? { problem: answered } : answered);
    } catch (error) {
      const requestId = `call-${(++failures).toString(36)}`;
      return packAnswer(
        deps.explainFailure(error, { requestId, method: String(values[0]), route: undefined }),
      );
    }
  }

  function answerTo(values: PlainValues): Soon<string | Buffer | Replayed | Problem> {
    const call = values[0] as PackedCall;
    if (call === 'token') return issueToken(values);
    if (call === 'report') return report(values);
    const { authorization, address } = unpackCaller(values);
    const answerHolder = (account: Account | Problem) => {
      if (account instanceof Problem) return account;
      return call === 'admit' ? account.id : sendFor(send, reservations, account, unpackSend(values));
    };
    const holder = access.authenticate(authorization, address);
    return holder instanceof Promise ? holder.then(answerHolder) : answerHolder(holder);
  }

  async function report(values: PlainValues): Promise<string | Buffer | Problem> {
    const account = await callers.admit(unpackCaller(values));
    return account instanceof Problem ? account : answerReport(account, unpackReport(values));
  }

  async function issueToken(values: PlainValues): Promise<string | Problem> {
    const { number, credentials, address } = unpackToken(values);
    waiting.add(number);
    try {
      return await tokenFor(deps, credentials, { address, isWanted: () => waiting.has(number) });
    } finally {
      waiting.delete(number);
    }
  }

  function take([note, ...values]: PlainValues): void {
    const [first, second, third] = values;
    switch (note as PackedNote) {
      case 'observed':
        for (const seconds of values.slice(2)) deps.observe(String(first), Number(second), Number(seconds));
        break;
      case 'refused':
        events.refused(String(first), second as Problem['code']);
        break;
      case 'gone':
        waiting.delete(Number(first));
        break;
      case 'closed':
        deps.connectionsClosed(Number(first));
        break;
      case 'load':
        deps.noteLoad(String(first), Number(second), Number(third));
        break;
      case 'failed':
        events.failed('http', new Error(String(first)), { requestId: String(second), stack: String(third) });
        break;
    }
  }
}

/** The engine's side: answers the calls of one thread that speaks HTTP, and takes its notes. */
import type { Access } from '../../accept/access.ts';
import type { Reservations } from '../../accept/reservations.ts';
import type { Replayed, SendOperation } from '../../accept/send.ts';
import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Events } from '../../observe/events.ts';
import type { NoteLoad } from '../../observe/thread-loads.ts';
import type { Soon } from '../../platform/soon.ts';
import { answerThread, type PlainValues, type Port } from '../../platform/thread-calls.ts';
import { sendFor } from '../contract/send-desk.ts';
import type { ExplainFailure } from '../failure.ts';
import type { Observe } from '../measured.ts';
import { type PackedCall, type PackedNote, packAnswer, unpackCaller, unpackSend } from './packed-calls.ts';

export interface DeskServiceDeps {
  readonly access: Access;
  readonly send: SendOperation;
  readonly reservations: Reservations;
  readonly events: Pick<Events, 'refused' | 'failed'>;
  readonly observe: Observe;
  readonly connectionsClosed: (count: number) => void;
  readonly noteLoad: NoteLoad;
  readonly explainFailure: ExplainFailure;
}

export function serveDesk(port: Port, deps: DeskServiceDeps): void {
  const { access, send, reservations, events } = deps;
  let failures = 0;

  answerThread(port, answer, take);

  async function answer(values: PlainValues): Promise<PlainValues> {
    try {
      const { authorization, address } = unpackCaller(values);
      const found = access.authenticate(authorization, address);
      const account = found instanceof Promise ? await found : found;
      const answered = account instanceof Problem ? account : await call(account, values);
      return packAnswer(answered instanceof Problem ? { problem: answered } : answered);
    } catch (error) {
      const requestId = `call-${(++failures).toString(36)}`;
      return packAnswer(
        deps.explainFailure(error, { requestId, method: String(values[0]), route: undefined }),
      );
    }
  }

  function call(account: Account, values: PlainValues): Soon<string | Replayed | Problem> {
    switch (values[0] as PackedCall) {
      case 'admit':
        return account.id;
      case 'send':
        return sendFor(send, reservations, account, unpackSend(values));
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

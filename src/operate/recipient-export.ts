/** What is kept of a recipient as one JSON text, written as it is read. */
import { channelOf } from '../domain/channels/channel-table.ts';
import type { MsgKey } from '../domain/ids.ts';
import { storedWritings } from '../domain/request/phone-number.ts';
import { shownStep } from '../domain/text/substitution.ts';
import type { Clock } from '../platform/clock.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { parsed, type RecipientFinder, type Subject } from './recipient.ts';

export function createRecipientExport(deps: {
  readonly store: Store;
  readonly clock: Clock;
  readonly formatTime: FormatTime;
  readonly finder: RecipientFinder;
}): (subject: Subject) => AsyncGenerator<string> {
  const { store, clock, formatTime, finder } = deps;

  async function exported(msgKey: MsgKey): Promise<object | undefined> {
    const message = await store.messages.find(msgKey);
    if (!message) return undefined;
    const { acceptedAt, history, words, textRemovedAt, flow, account, ...rest } = message;
    const { references, deliveries, answers } = await store.privacy.traces(msgKey);
    const records = await store.reports.inquire({ account, msgKey, lastOnly: false, since: 0 });
    const handedOver = await store.reports.handedOver(msgKey);
    return {
      ...rest,
      account,
      acceptedAt: formatTime(acceptedAt),
      ...(textRemovedAt === undefined
        ? {
            flow,
            replaceWords: words,
            asReceived: flow.map(step => shownStep(step, words)),
            files: flow.flatMap(step => channelOf(step).files?.uses(step) ?? []).map(({ name }) => name),
          }
        : { channels: flow.map(({ channel }) => channel), textRemovedAt: formatTime(textRemovedAt) }),
      timeline: [...history, ...handedOver].map(entry => ({ ...entry, at: formatTime(entry.at) })),
      reports: records.map(({ sentAt, reportedAt, ...record }) => ({
        ...record,
        sentAt: sentAt === undefined ? null : formatTime(sentAt),
        reportedAt: formatTime(reportedAt),
      })),
      carrierReferences: references.map(({ createdAt, ...reference }) => ({
        ...reference,
        createdAt: formatTime(createdAt),
      })),
      webhookDeliveries: deliveries.map(
        ({ recent, nextAt, reportedAt, giveUpAt, isHeld: _, ...delivery }) => ({
          ...delivery,
          reportedAt: formatTime(reportedAt),
          giveUpAt: formatTime(giveUpAt),
          recent: recent.map(attempt => ({ ...attempt, at: formatTime(attempt.at) })),
          nextAt: nextAt === undefined ? null : formatTime(nextAt),
        }),
      ),
      idempotencyAnswers: answers.map(({ key, response, createdAt }) => ({
        key,
        response: parsed(response),
        createdAt: formatTime(createdAt),
      })),
    };
  }

  return async function* exportOf(subject) {
    const { number, account = null } = subject;
    const head = { recipient: number, storedAs: storedWritings(number), account };
    yield `${JSON.stringify({ ...head, exportedAt: formatTime(clock.now()) }).slice(0, -1)},\n"messages":[`;
    let comma = '\n';
    const item = (value: object) => {
      const text = `${comma}${JSON.stringify(value)}`;
      comma = ',\n';
      return text;
    };
    for await (const page of finder.messages(subject)) {
      for (const { msgKey } of page) {
        const message = await exported(msgKey);
        if (message) yield item(message);
      }
    }
    yield '],\n"parkedReceipts":[';
    comma = '\n';
    for await (const { parkedId: _, receivedAt, ...receipt } of finder.parked(subject)) {
      yield item({ ...receipt, receivedAt: formatTime(receivedAt) });
    }
    yield '],\n"inbound":[';
    comma = '\n';
    for await (const { receivedAt, fetchedAt, ...message } of finder.inbound(subject)) {
      yield item({
        ...message,
        receivedAt: formatTime(receivedAt),
        fetchedAt: fetchedAt === undefined ? null : formatTime(fetchedAt),
      });
    }
    yield '],\n"setAside":[';
    comma = '\n';
    for await (const { at, reason, event } of finder.setAside(subject)) {
      yield item({ at: formatTime(at), reason, event: parsed(event) });
    }
    yield '],\n"reserved":[';
    comma = '\n';
    for await (const recipient of finder.reserved(subject, false)) yield item(recipient);
    yield '],\n"optOuts":[';
    comma = '\n';
    for (const { id: _, since, ended, ...optOut } of await finder.optOuts(subject)) {
      yield item({
        ...optOut,
        since: { ...since, at: formatTime(since.at) },
        ended: ended ? { ...ended, at: formatTime(ended.at) } : null,
      });
    }
    yield ']}\n';
  };
}

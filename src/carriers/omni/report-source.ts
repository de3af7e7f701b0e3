/**
 * The reports that the service keeps for us. A batch is deleted there after its records are settled here; until then it
 * comes again, which changes nothing. A batch that the service no longer knows (A805) was deleted before.
 */
import { serviceTypeOf } from '../../domain/channels/channel.ts';
import type { CarrierHost } from '../carrier.ts';
import { memberOf, textOf } from '../http/pointer.ts';
import { type PolledBatch, PollProblem, type ReceiptSource } from '../http/receipt-poller.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { inquire } from './inquiry.ts';
import { type ReadRecords, readRecords } from './report-records.ts';
import type { OmniSession, SessionRequest } from './session.ts';

/** So many records of a batch mean that more are waiting. */
const LARGE_BATCH = 500;
const BRANDMESSAGE = serviceTypeOf('brandmessage');
/** Of one batch: services take a few inquiries a second. */
const MOST_ASKED = 100;
const ALREADY_DELETED = 'A805';

export class ReportSource implements ReceiptSource {
  readonly #session: OmniSession;
  readonly #host: CarrierHost;
  readonly #intervalMs: number;
  readonly #learn: (places: ReadRecords['places']) => void;
  #lastDeleted: string | undefined;
  #problem: string | undefined;

  constructor(deps: {
    readonly session: OmniSession;
    readonly host: CarrierHost;
    readonly intervalMs: number;
    /** Told in which forms our references come back. */
    readonly learn: (places: ReadRecords['places']) => void;
  }) {
    this.#session = deps.session;
    this.#host = deps.host;
    this.#intervalMs = deps.intervalMs;
    this.#learn = deps.learn;
  }

  /** Why the service gives us no reports; undefined while it does. */
  get problem(): string | undefined {
    return this.#problem;
  }

  async fetch(): Promise<PolledBatch | undefined> {
    const { json } = await this.#ask({ method: 'GET', path: '/v1/report/polling' });
    const data = memberOf(json, 'data');
    const reportId = textOf(memberOf(data, 'reportId'));
    const records = memberOf(data, 'report') ?? [];
    if (!Array.isArray(records)) throw new PollProblem('the answer has no list of reports');
    if (records.length === 0) return undefined;
    const read = readRecords(await this.#withUserTypes(records));
    const isRepeated = reportId !== undefined && reportId === this.#lastDeleted;
    if (isRepeated) this.#host.noticed('batchRepeated');
    const isMore = records.length >= LARGE_BATCH && !isRepeated;
    return {
      nextInMs: isMore ? 0 : this.#intervalMs,
      settle: () => this.#settle(read),
      acknowledge: () => this.#delete(reportId),
    };
  }

  /** Only inquiry tells whether the recipient of a brandmessage is a friend of the channel. */
  async #withUserTypes(records: readonly unknown[]): Promise<readonly unknown[]> {
    const asked = records.filter(lacksUserType).slice(0, MOST_ASKED);
    if (asked.length === 0) return records;
    const keys = asked.flatMap(record => textOf(memberOf(record, 'msgKey')) ?? []);
    const { records: told } = await inquire(this.#session, keys);
    const found = new Map(
      told.map(record => [textOf(memberOf(record, 'msgKey')), memberOf(record, 'userType')]),
    );
    return records.map(record => {
      const userType = lacksUserType(record) && found.get(textOf(memberOf(record, 'msgKey')));
      return userType && typeof record === 'object' ? { ...record, userType } : record;
    });
  }

  async #settle({ receipts, places, foreign, unreadable, unknownCodes }: ReadRecords): Promise<void> {
    if (receipts.length > 0) await this.#host.receive(receipts);
    this.#learn(places);
    if (foreign > 0) this.#host.noticed('foreignReports', { count: foreign });
    if (unreadable > 0) this.#host.noticed('unreadableReports', { count: unreadable });
    for (const code of unknownCodes) this.#host.noticed('reportCodeUnknown', { code });
  }

  async #delete(reportId: string | undefined): Promise<void> {
    // It would come again at once, for ever.
    if (reportId === undefined) throw new PollProblem('the batch has no reportId, so it cannot be deleted');
    const path = `/v1/report/polling/${encodeURIComponent(reportId)}`;
    const { code } = await this.#ask({ method: 'DELETE', path }, ALREADY_DELETED);
    if (code === ALREADY_DELETED) this.#host.noticed('batchDeletedBefore');
    this.#lastDeleted = reportId;
  }

  async #ask(request: SessionRequest, alsoFine?: string): Promise<Envelope> {
    const answer = await this.#session.call(request);
    if (answer.kind === 'failed') throw new PollProblem(answer.reason);
    const envelope = envelopeOf(answer);
    const { meaning, code, says } = envelope;
    const isFine = meaning === 'taken' || code === alsoFine;
    // A service that is busy is no reason to call for people; one that refuses is.
    this.#problem = isFine || meaning === 'throttled' || meaning === 'unknown' ? undefined : says;
    if (!isFine) throw new PollProblem(says);
    return envelope;
  }
}

function lacksUserType(record: unknown): boolean {
  return memberOf(record, 'serviceType') === BRANDMESSAGE && memberOf(record, 'userType') === undefined;
}

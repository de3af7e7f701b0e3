/** What two nodes were told, and what a carrier got: what must hold of it, in whatever order their statements ran. */
import type { LiveStep } from '../../src/domain/delivery/settlement.ts';
import { type MsgKey, msgKeyOf, type RequestId } from '../../src/domain/ids.ts';
import { CANCELLED, DELIVERED } from '../../src/domain/reports/report-codes.ts';
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import { calendarOf } from '../../src/platform/zoned-time.ts';
import type { AcceptResult, NewRequest, ReportBatch, Store } from '../../src/store/store.ts';
import { ACME, DAY_MS } from '../store/contract/store-under-test.ts';

export const RULES = {
  key: 'one key, one set of messages',
  claim: 'a step is claimed by one node at a time',
  twice: 'what a carrier took is not submitted again',
  cancelled: 'what was cancelled or taken back is with no carrier',
  lost: 'nothing accepted is lost, and nothing stands still',
  report: 'each step has one report, and each message one last',
  told: 'a report says what the carrier told',
  batch: 'a batch stays the same, and a record is in one batch',
  sums: 'sums agree with messages and reports',
  works: 'every call succeeds',
} as const;
export type Rule = keyof typeof RULES;

/** Attempts of its own may be made again for ever, each is sent once. */
export const REPEATABLE = 'beta';

/** What a carrier took. */
export interface Taken {
  readonly step: LiveStep;
  readonly ref: string;
  readonly isDelivered: boolean;
  /** An answer has brought the reference, or will. */
  isRefKnown: boolean;
  /** A node has settled its receipt. */
  isTold: boolean;
}

interface Answered {
  readonly request: NewRequest;
  readonly result: AcceptResult;
}

interface Hold {
  readonly owner: string;
  readonly live: LiveStep;
}

export class Ledger {
  readonly broken: { readonly rule: Rule; readonly what: string }[] = [];
  readonly answered: Answered[] = [];
  readonly withdrawn = new Set<RequestId>();
  readonly taken = new Map<string, Taken>();
  readonly #holds = new Map<string, Hold>();
  readonly #batches = new Map<string, string>();
  readonly #fetched: string[] = [];

  break(rule: Rule, what: string): void {
    this.broken.push({ rule, what: `${RULES[rule]}: ${what}` });
  }

  get stored(): readonly NewRequest[] {
    return this.answered
      .filter(({ request, result }) => result.kind === 'stored' && !this.withdrawn.has(request.requestId))
      .map(({ request }) => request);
  }

  get messages(): readonly MsgKey[] {
    return this.stored.flatMap(({ messages }) => messages.map(({ msgKey }) => msgKey));
  }

  held(owner: string): LiveStep[] {
    return [...this.#holds.values()].filter(hold => hold.owner === owner).map(({ live }) => live);
  }

  claimed(owner: string, steps: readonly LiveStep[]): void {
    for (const live of steps) {
      const other = this.#holds.get(nameOf(live));
      if (other) this.break('claim', `${nameOf(live)} is held by ${other.owner}, and was given to ${owner}`);
      if (live.attempt < 1) this.break('claim', `${nameOf(live)} is claimed, its attempt is ${live.attempt}`);
      this.#holds.set(nameOf(live), { owner, live });
    }
  }

  letGo(live: LiveStep): void {
    this.#holds.delete(nameOf(live));
  }

  /** A repetition of what the carrier has is answered as the first was. */
  take(live: LiveStep, isDelivered: boolean): Taken {
    const name = nameOf(live);
    const before = this.taken.get(name);
    const isRepetition = before?.step.carrier === REPEATABLE && before.step.attempt === live.attempt;
    if (before && !(isRepetition && live.carrier === REPEATABLE)) this.break('twice', name);
    const taken = before ?? { step: live, ref: `ref-${name}`, isDelivered, isRefKnown: false, isTold: false };
    this.taken.set(name, taken);
    return taken;
  }

  has(live: LiveStep): boolean {
    return this.taken.has(nameOf(live));
  }

  polled({ reportId, records }: ReportBatch): void {
    const content = records.map(nameOf).join();
    const before = this.#batches.get(reportId);
    if (before !== undefined && before !== content)
      this.break('batch', `${reportId}: ${before}, then ${content}`);
    this.#batches.set(reportId, content);
  }

  fetched({ records }: ReportBatch): void {
    this.#fetched.push(...records.map(nameOf));
  }

  /** Asked when everything has come to rest, and every report was fetched. */
  async check(store: Store, now: number): Promise<void> {
    this.#checkKeys();
    const reports: ReportRecord[] = [];
    for (const msgKey of this.messages) reports.push(...(await this.#checkMessage(store, msgKey)));
    const names = reports.map(nameOf);
    if (names.toSorted().join() !== this.#fetched.toSorted().join())
      this.break('batch', `reports ${names.toSorted()}, fetched ${this.#fetched.toSorted()}`);
    for (const requestId of this.withdrawn) {
      const isThere = (await store.messages.find(msgKeyOf(requestId, 0))) !== undefined;
      const isTaken = [...this.taken.keys()].some(name => name.startsWith(requestId));
      if (isThere || isTaken) this.break('cancelled', `${requestId} was taken back`);
    }
    await this.#checkSums(store, now, reports);
  }

  #checkKeys(): void {
    const keyed = this.answered.flatMap(({ request, result }) =>
      request.idempotency ? [{ ...request.idempotency, result }] : [],
    );
    for (const [key, calls] of Map.groupBy(keyed, ({ key }) => key)) {
      const stored = calls.filter(({ result }) => result.kind === 'stored');
      const [first] = stored;
      const isRight = calls.every(({ bodyHash, result }) => {
        if (result.kind === 'stored') return true;
        if (result.kind === 'conflict') return bodyHash !== first?.bodyHash;
        return bodyHash === first?.bodyHash && result.response === first.response;
      });
      if (stored.length !== 1 || !isRight) this.break('key', `${key}: ${JSON.stringify(calls)}`);
    }
  }

  async #checkMessage(store: Store, msgKey: MsgKey): Promise<readonly ReportRecord[]> {
    const view = await store.messages.find(msgKey);
    const reports = await store.reports.inquire({ account: ACME, msgKey, lastOnly: false, since: 0 });
    if (!view || reports.length === 0) this.break('lost', `${msgKey} is ${view?.state ?? 'not there'}`);
    const isInOrder = reports.every(
      ({ step, isLast }, index) => step === index && isLast === (index === reports.length - 1),
    );
    if (!isInOrder) this.break('report', `${msgKey}: ${JSON.stringify(reports)}`);
    for (const { step, reportCode } of reports) {
      const taken = this.taken.get(`${msgKey}/${step}`);
      const hasArrived = taken?.isDelivered === true && taken.isTold;
      const isLate = view?.history.some(line => line.step === step && line.event === 'lateDelivery');
      if ((reportCode === DELIVERED || isLate === true) !== hasArrived)
        this.break('told', `${msgKey}/${step} is ${reportCode}, arrived: ${hasArrived}`);
      if (reportCode === CANCELLED && taken)
        this.break('cancelled', `${msgKey}/${step} was cancelled, and is with ${taken.step.carrier}`);
    }
    return reports;
  }

  async #checkSums(store: Store, now: number, reports: readonly ReportRecord[]): Promise<void> {
    const today = calendarOf('UTC').dateOf(now);
    const range = { from: today - DAY_MS, until: today + 2 * DAY_MS };
    const [sums] = await store.rollups.read({ grain: 'day', ...range, where: {}, by: [] });
    const found = [sums?.accepted ?? 0, sums?.ended ?? 0, sums?.messages ?? 0, sums?.delivered ?? 0];
    const last = reports.filter(({ isLast }) => isLast).length;
    const delivered = reports.filter(({ reportCode }) => reportCode === DELIVERED).length;
    const expected = [this.messages.length, reports.length, last, delivered];
    if (found.join() !== expected.join()) this.break('sums', `${found}, and there are ${expected}`);
  }
}

const nameOf = ({ msgKey, step }: { readonly msgKey: MsgKey; readonly step: number }): string =>
  `${msgKey}/${step}`;

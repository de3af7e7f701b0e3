/** Clients that fetch reports through each node at the same time, and delete what they fetched. */
import { setTimeout as pause } from 'node:timers/promises';
import type { GatewayNode } from './gateway-node.ts';

export interface PolledRecord {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly reportCode: string;
  readonly ref?: string;
  readonly carrier?: string;
  readonly resCnt?: string;
}

interface Polled {
  readonly code: string;
  readonly result: string;
  readonly data?: { readonly reportId: string; readonly report: readonly PolledRecord[] | null };
}

const ANSWER_WITHIN_MS = 30_000;
const REST_MS = 150;
/** A batch that another poller has deleted in the meantime is not known any more. */
const AFTER_DELETE = ['A000', 'A805', 'A920'];

export class Pollers {
  readonly batches = new Map<string, readonly PolledRecord[]>();
  /** Batches that were not the same twice, and answers that no fault excuses. */
  readonly violations: string[] = [];
  readonly #token: string;
  #isOver = false;
  /** How often in a row each poller found nothing. */
  readonly #empty = new Map<string, number>();

  constructor(token: string) {
    this.#token = token;
  }

  async run(node: GatewayNode): Promise<void> {
    while (!this.#isOver) {
      const found = node.url === undefined ? undefined : await this.#poll(node.url);
      const isEmpty = found?.data?.report === null;
      this.#empty.set(node.name, isEmpty ? (this.#empty.get(node.name) ?? 0) + 1 : 0);
      if (!found?.data?.report) await pause(REST_MS);
    }
  }

  /** Every poller has found nothing, from now on. */
  async areEmpty(pollers = 2): Promise<void> {
    this.#empty.clear();
    while (this.#empty.size < pollers || [...this.#empty.values()].some(times => times < 2)) await pause(50);
  }

  stop(): void {
    this.#isOver = true;
  }

  async #poll(url: string): Promise<Polled | undefined> {
    const polled = await this.#call(`${url}/v1/report/polling`, 'GET');
    if (!polled) return undefined;
    if (polled.code !== 'A000' && polled.code !== 'A920') {
      this.violations.push(`a poll was answered ${polled.code} ${polled.result}`);
    }
    const { reportId, report } = polled.data ?? {};
    if (reportId === undefined || !report) return polled;
    const before = this.batches.get(reportId);
    if (before && JSON.stringify(before) !== JSON.stringify(report)) {
      this.violations.push(`batch ${reportId} was not the same twice`);
    }
    const known = new Set(before?.map(({ msgKey }) => msgKey));
    this.batches.set(reportId, [...(before ?? []), ...report.filter(({ msgKey }) => !known.has(msgKey))]);
    const deleted = await this.#call(`${url}/v1/report/polling/${reportId}`, 'DELETE');
    if (deleted && !AFTER_DELETE.includes(deleted.code)) {
      this.violations.push(`a DELETE was answered ${deleted.code} ${deleted.result}`);
    }
    return polled;
  }

  async #call(url: string, method: string): Promise<Polled | undefined> {
    try {
      const headers = { authorization: `Bearer ${this.#token}` };
      const response = await fetch(url, { method, headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return (await response.json()) as Polled;
    } catch {
      return undefined;
    }
  }
}

/** Clients that fetch reports through all nodes at the same time, and delete what they fetched. */
import { setTimeout as pause } from 'node:timers/promises';
import { bearer } from '../harness/credentials.ts';
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
/** The answers to a DELETE: another poller may have deleted the batch meanwhile. */
const AFTER_DELETE = ['A000', 'A805', 'A920'];

export class Pollers {
  readonly batches = new Map<string, readonly PolledRecord[]>();
  /** Batches that changed, and answers that no fault explains. */
  readonly violations: string[] = [];
  readonly #token: string;
  #isOver = false;
  /** How often in a row the poller of each node found nothing. */
  readonly #empty = new Map<string, number>();
  #loops: readonly Promise<void>[] = [];

  constructor(token: string) {
    this.#token = token;
  }

  start(nodes: readonly GatewayNode[]): void {
    this.#loops = nodes.map(node => this.#run(node));
  }

  /** Waits until every poller finds nothing, twice in a row from now on, and ends them. */
  async finish(): Promise<void> {
    this.#empty.clear();
    const { length } = this.#loops;
    while (this.#empty.size < length || [...this.#empty.values()].some(times => times < 2)) await pause(50);
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async #run(node: GatewayNode): Promise<void> {
    while (!this.#isOver) {
      const found = node.url === undefined ? undefined : await this.#poll(node.url);
      const isEmpty = found?.data?.report === null;
      this.#empty.set(node.name, isEmpty ? (this.#empty.get(node.name) ?? 0) + 1 : 0);
      if (!found?.data?.report) await pause(REST_MS);
    }
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
      this.violations.push(`batch ${reportId} changed`);
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
      const headers = bearer(this.#token);
      const response = await fetch(url, { method, headers, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
      return (await response.json()) as Polled;
    } catch {
      return undefined;
    }
  }
}

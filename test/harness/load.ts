/** Load on a running server from a test: sends until told to stop, and remembers what was answered A000. */
import assert from 'node:assert/strict';
import { ADMIN_TOKEN, bearer } from './credentials.ts';
import { until } from './until.ts';

const ANSWER_WITHIN_MS = 30_000;

interface Batch {
  readonly reportId: string;
  readonly report: readonly { readonly msgKey: string; readonly reportCode: string }[] | null;
}

async function call(url: string, init: RequestInit) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
  // biome-ignore lint/suspicious/noExplicitAny: the contract tests pin the shapes.
  return (await response.json()) as { code: string; msgKey?: string; data?: any };
}

/** The account of a load, and its operator, at a running server. */
export class LoadAccount {
  static readonly ID = 'load';
  static readonly PASSWORD = 'load-password';
  /** A server that is started with these settings has the account, and an admin. */
  static readonly ENV = {
    BONGSU_DEMO_ACCOUNT: `${LoadAccount.ID}:${LoadAccount.PASSWORD}`,
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
  };
  readonly url: string;
  readonly token: string;

  private constructor(url: string, token: string) {
    this.url = url;
    this.token = token;
  }

  /** Gets a token. */
  static async signIn(url: string): Promise<LoadAccount> {
    const headers = { 'X-SVC-Client-Id': LoadAccount.ID, 'X-SVC-Client-Passwd': LoadAccount.PASSWORD };
    const answer = await call(`${url}/v1/auth/token`, { method: 'POST', headers });
    return new LoadAccount(url, answer.data.token);
  }

  /** With the same token at another node, or at the server after its restart. */
  at(url: string): LoadAccount {
    return new LoadAccount(url, this.token);
  }

  async poll(): Promise<Batch> {
    return (await call(`${this.url}/v1/report/polling`, { headers: bearer(this.token) })).data;
  }

  /** Fetches every batch there is, and counts the records of each message. */
  async collectReports(): Promise<Map<string, number>> {
    const records = new Map<string, number>();
    for (;;) {
      const { reportId, report } = await this.poll();
      if (!report) return records;
      for (const { msgKey } of report) records.set(msgKey, (records.get(msgKey) ?? 0) + 1);
      // A batch that is still open would come again, and its records would count twice.
      assert.equal(await this.#acknowledge(reportId), 'A000');
    }
  }

  /** Every message that was accepted has a record, and none has two; resolves to the number of records. */
  async assertReportedOnce(accepted: readonly string[]): Promise<number> {
    const records = await this.collectReports();
    const lost = accepted.filter(msgKey => !records.has(msgKey));
    assert.deepEqual(lost, [], 'nothing that was accepted is lost');
    const repeated = [...records].filter(([, count]) => count !== 1);
    assert.deepEqual(repeated, [], 'nothing is reported twice');
    return records.size;
  }

  /** Waits until every message has ended. A node that stops may put some off for a second, so these are counted, too. */
  async queueIsEmpty(): Promise<void> {
    const headers = bearer(ADMIN_TOKEN);
    await until('every message has ended', async () => {
      const { data } = await call(`${this.url}/admin/v1/queue`, { headers });
      return data.ready + data.claimed + data.waiting + data.putOff === 0;
    });
  }

  async #acknowledge(reportId: string): Promise<string> {
    const headers = bearer(this.token);
    return (await call(`${this.url}/v1/report/polling/${reportId}`, { method: 'DELETE', headers })).code;
  }
}

export interface SendAnswer {
  readonly code: string;
  readonly result: string;
  readonly msgKey?: string;
  /** Of a send to several recipients. */
  readonly data?: { readonly destinations: readonly DestinationAnswer[] };
}

interface DestinationAnswer {
  readonly to: string;
  readonly msgKey: string | null;
  readonly code: string;
  readonly result: string;
}

/** Sends as a client does. Undefined if no answer came: the outcome is not known. */
export async function postSend(send: {
  readonly url: string;
  readonly token: string;
  readonly body: string;
  readonly idempotencyKey?: string | undefined;
  readonly withinMs: number;
}): Promise<SendAnswer | undefined> {
  const { url, token, body, idempotencyKey, withinMs } = send;
  const headers = {
    ...bearer(token),
    'content-type': 'application/json',
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  };
  try {
    const signal = AbortSignal.timeout(withinMs);
    return (await (await fetch(url, { method: 'POST', headers, body, signal })).json()) as SendAnswer;
  } catch {
    return undefined;
  }
}

/** Sends from `workers` loops at each account until `stop`; a server that dies in between is no error. */
export class Load {
  /** Every msgKey that was answered A000. */
  readonly accepted: string[] = [];
  readonly #loops: Promise<void>[];
  #isStopped = false;

  constructor(accounts: readonly LoadAccount[], workers: number) {
    this.#loops = accounts.flatMap(account => Array.from({ length: workers }, () => this.#send(account)));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }

  async #send({ url, token }: LoadAccount): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      // Every hundredth meets an odd fate: receipts that repeat, or that come before the answer.
      const to = `0101234${['5678', '0007', '0008'][count % 100] ?? '5678'}`;
      const body = JSON.stringify({ from: '0212345678', to, text: 'hello' });
      const answer = await postSend({ url: `${url}/v1/send/sms`, token, body, withinMs: ANSWER_WITHIN_MS });
      // The server was killed: this send was not answered, so nothing was promised.
      if (!answer) return;
      if (answer.code === 'A000' && answer.msgKey) this.accepted.push(answer.msgKey);
    }
  }
}

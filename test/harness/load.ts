/** Load on a running server from a test: sends until told to stop, and remembers what was answered A000. */
import { until } from './until.ts';

export const CREDENTIALS = { id: 'load', password: 'load-password' } as const;
export const DEMO_ACCOUNT = `${CREDENTIALS.id}:${CREDENTIALS.password}`;
export const ADMIN_TOKEN = 'admin-token-for-tests';

export interface Batch {
  readonly reportId: string;
  readonly report: readonly { readonly msgKey: string; readonly reportCode: string }[] | null;
}

async function call(url: string, init: RequestInit) {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) });
  // biome-ignore lint/suspicious/noExplicitAny: the contract tests pin the shapes.
  return (await response.json()) as { code: string; msgKey?: string; data?: any };
}

export async function tokenOf(url: string): Promise<string> {
  const headers = { 'X-SVC-Client-Id': CREDENTIALS.id, 'X-SVC-Client-Passwd': CREDENTIALS.password };
  const answer = await call(`${url}/v1/auth/token`, { method: 'POST', headers });
  return answer.data.token;
}

export async function poll(url: string, token: string): Promise<Batch> {
  const headers = { authorization: `Bearer ${token}` };
  return (await call(`${url}/v1/report/polling`, { headers })).data;
}

async function acknowledge(url: string, token: string, reportId: string): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  return (await call(`${url}/v1/report/polling/${reportId}`, { method: 'DELETE', headers })).code;
}

/** Fetches every batch there is, and counts the records of each message. */
export async function collectReports(url: string, token: string): Promise<Map<string, number>> {
  const records = new Map<string, number>();
  for (;;) {
    const { reportId, report } = await poll(url, token);
    if (!report) return records;
    for (const { msgKey } of report) records.set(msgKey, (records.get(msgKey) ?? 0) + 1);
    await acknowledge(url, token, reportId);
  }
}

/** Waits until no message is on its way any more. */
export async function queueIsEmpty(url: string): Promise<void> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  await until('no message is on its way', async () => {
    const { data } = await call(`${url}/admin/v1/queue`, { headers });
    return data.ready + data.claimed + data.waiting === 0;
  });
}

/** Sends from `workers` loops until `stop`; a server that dies in between is no error. */
export class Load {
  /** Every msgKey that was answered A000. */
  readonly accepted: string[] = [];
  readonly #loops: Promise<void>[];
  #isStopped = false;

  constructor(urls: readonly string[], token: string, workers: number) {
    this.#loops = Array.from({ length: workers }, (_, index) =>
      this.#send(urls[index % urls.length] ?? '', token),
    );
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#loops);
  }

  async #send(url: string, token: string): Promise<void> {
    for (let count = 0; !this.#isStopped; count++) {
      // Every hundredth meets an odd fate: receipts that repeat, or that come before the answer.
      const to = `0101234${['5678', '0007', '0008'][count % 100] ?? '5678'}`;
      const body = JSON.stringify({ from: '0212345678', to, text: 'hello' });
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      try {
        const answer = await call(`${url}/v1/send/sms`, { method: 'POST', headers, body });
        if (answer.code === 'A000' && answer.msgKey) this.accepted.push(answer.msgKey);
      } catch {
        // The server was killed: this send was not answered, and so nothing was promised.
        return;
      }
    }
  }
}

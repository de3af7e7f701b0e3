/** A client of the gateway's HTTP contract. Stands alone: it knows nothing of the server's code. */

export interface ApiClientOptions {
  /** Where the gateway listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly id: string;
  readonly password: string;
  /** `SVC` in `X-SVC-Client-Id`. */
  readonly headerPrefix: string;
}

export interface TextMessage {
  readonly to: string;
  readonly text: string;
  readonly from?: string;
  readonly ref?: string;
}

export interface Sent {
  readonly msgKey: string;
  readonly ref?: string;
}

export interface Report {
  readonly msgKey: string;
  readonly serviceType: string;
  readonly msgType: string;
  readonly sendTime?: string;
  readonly reportTime: string;
  readonly reportType: string;
  readonly reportCode: string;
  readonly reportText: string;
  readonly carrier?: string;
  readonly resCnt?: string;
  readonly ref?: string;
}

export interface ReportBatch {
  /** Empty when nothing waits. */
  readonly reportId: string;
  readonly report: readonly Report[] | null;
}

/** The gateway answered with a code other than A000. */
export class GatewayRefusal extends Error {
  override name = 'GatewayRefusal';
  readonly code: string;
  readonly result: string;

  constructor(code: string, result: string) {
    super(`${code} ${result}`);
    this.code = code;
    this.result = result;
  }
}

/** Nothing answered, or something that is not a gateway. */
export class GatewayUnreachable extends Error {
  override name = 'GatewayUnreachable';
}

const SUCCESS = 'A000';
const TIMEOUT_MS = 30_000;

interface Envelope {
  readonly code: string;
  readonly result: string;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export class ApiClient {
  readonly #options: ApiClientOptions;
  #authorization: string | undefined;

  constructor(options: ApiClientOptions) {
    this.#options = options;
  }

  /** Exchanges the credentials for the value of the Authorization header. The other calls do this once, by themselves. */
  async token(): Promise<string> {
    const { id, password, headerPrefix } = this.#options;
    const { data } = await this.#request<{ data: { schema: string; token: string } }>({
      method: 'POST',
      path: '/v1/auth/token',
      headers: { [`X-${headerPrefix}-Client-Id`]: id, [`X-${headerPrefix}-Client-Passwd`]: password },
    });
    return `${data.schema} ${data.token}`;
  }

  async send(channel: 'sms' | 'international', message: TextMessage): Promise<Sent> {
    const { msgKey, ref } = await this.#call<Sent>('POST', `/v1/send/${channel}`, message);
    return { msgKey, ...(ref !== undefined && { ref }) };
  }

  /** The batch of records that waits; the same one until it is acknowledged. */
  async poll(): Promise<ReportBatch> {
    const { data } = await this.#call<{ data: ReportBatch }>('GET', '/v1/report/polling');
    return data;
  }

  async acknowledge(reportId: string): Promise<void> {
    await this.#call('DELETE', `/v1/report/polling/${encodeURIComponent(reportId)}`);
  }

  /** The records of one message so far; none for an unknown key. */
  async inquire(msgKey: string): Promise<readonly Report[]> {
    const path = `/v1/report/inquiry/${encodeURIComponent(msgKey)}`;
    const { data } = await this.#call<{ data: { report: readonly Report[] } }>('GET', path);
    return data.report;
  }

  async #call<T>(method: Call['method'], path: string, body?: unknown): Promise<T> {
    this.#authorization ??= await this.token();
    return this.#request<T>({ method, path, headers: { Authorization: this.#authorization }, body });
  }

  async #request<T>({ method, path, headers, body }: Call): Promise<T> {
    const url = this.#options.url.replace(/\/+$/, '');
    let status: number;
    let text: string;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      status = response.status;
      text = await response.text();
    } catch (error) {
      throw new GatewayUnreachable(`no gateway answers at ${url} (${reasonOf(error)})`, { cause: error });
    }
    const envelope = parseEnvelope(text);
    if (!envelope) {
      throw new GatewayUnreachable(
        `no gateway answers at ${url} (HTTP ${status} without a result code: another program listens there)`,
      );
    }
    if (envelope.code !== SUCCESS) throw new GatewayRefusal(envelope.code, envelope.result);
    return envelope as Envelope & T;
  }
}

function parseEnvelope(text: string): Envelope | undefined {
  try {
    const value = JSON.parse(text) as Partial<Envelope> | null;
    return typeof value?.code === 'string' && typeof value.result === 'string'
      ? (value as Envelope)
      : undefined;
  } catch {
    return undefined;
  }
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

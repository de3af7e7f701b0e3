/**
 * A client of the gateway's HTTP API. It has no dependencies: neither packages nor the server's code.
 *
 * The token is fetched with the first call and kept; a call refused with A001 (expired) or A002 (unknown, for example
 * after a change of database) is repeated once with a new one. Refusals are thrown as `GatewayRefusal`; if there is no answer, or
 * none from a gateway, as `GatewayUnreachable`.
 */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type {
  AddedOptOuts,
  CancelResult,
  Consent,
  DayStatistics,
  DestinationResult,
  FilePurpose,
  FlowEntry,
  Form,
  HistoryFilters,
  HistoryPage,
  HistoryQuery,
  InboundBatch,
  InboundMessage,
  InboundPage,
  InboundQuery,
  MessageStatus,
  NewOptOut,
  NewReservation,
  OmniSend,
  OmniSent,
  OptOutPage,
  OptOutQuery,
  OwnMessage,
  Report,
  ReportBatch,
  Reservation,
  ReservationPage,
  ReservationState,
  ReservedRecipientPage,
  Sent,
  SingleSends,
  StatisticsQuery,
  UploadedFile,
} from './requests.ts';

export type * from './requests.ts';

export interface BongsuClientOptions {
  /** Where the gateway listens, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly id: string;
  readonly password: string;
  /** The `SVC` in `X-SVC-Client-Id`, which is the default. */
  readonly headerPrefix?: string;
  /** Longest wait for an answer; 30 seconds by default. */
  readonly timeoutMs?: number;
}

export interface SendOptions {
  /** Makes a repeated send safe: the gateway gives the first answer again. */
  readonly idempotencyKey?: string;
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
const TOKEN_ENDED: readonly string[] = ['A001', 'A002'];
const TIMEOUT_MS = 30_000;

interface Envelope {
  readonly code: string;
  readonly result: string;
}

/** What an answer says beside its body. */
interface Told {
  /** It is the first answer under this idempotency key; nothing was sent now. */
  readonly isReplay?: true;
}

interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, text as a CSV file. */
  readonly body?: object | string;
}

export class BongsuClient {
  readonly #options: BongsuClientOptions;
  /** One promise, shared by all calls that wait for the token. */
  #authorization: Promise<string> | undefined;

  constructor(options: BongsuClientOptions) {
    this.#options = options;
  }

  /** Exchanges the credentials for the value of the Authorization header. The other calls do this automatically. */
  async token(): Promise<string> {
    const { id, password, headerPrefix = 'SVC' } = this.#options;
    const { data } = await this.#request<{ data: { schema: string; token: string } }>({
      method: 'POST',
      path: '/v1/auth/token',
      headers: { [`X-${headerPrefix}-Client-Id`]: id, [`X-${headerPrefix}-Client-Passwd`]: password },
    });
    return `${data.schema} ${data.token}`;
  }

  /** One message to one recipient. */
  async send<Channel extends keyof SingleSends>(
    channel: Channel,
    message: SingleSends[Channel],
    options: SendOptions = {},
  ): Promise<Sent> {
    const call = { method: 'POST', path: `/v1/send/${channel}`, headers: sendHeaders(options) } as const;
    const { msgKey, resvKey, ref, isReplay } = await this.#call<Sent>({ ...call, body: message });
    return {
      msgKey,
      ...(resvKey !== undefined && { resvKey }),
      ...(ref !== undefined && { ref }),
      ...(isReplay && { isReplay }),
    };
  }

  /** A flow to up to ten recipients, each with its own result. */
  async sendOmni(omni: OmniSend, options: SendOptions = {}): Promise<OmniSent> {
    const call = { method: 'POST', path: '/v1/send/omni', headers: sendHeaders(options) } as const;
    return omniSent(await this.#call<OmniAnswer>({ ...call, body: omni }));
  }

  /** A flow for later; its messages have their keys at once. */
  async reserve(reservation: NewReservation, options: SendOptions = {}): Promise<OmniSent> {
    const call = { method: 'POST', path: '/v1/reservation', headers: sendHeaders(options) } as const;
    return omniSent(await this.#call<OmniAnswer>({ ...call, body: reservation }));
  }

  async reservations(
    query: {
      readonly resvSendTime?: string;
      readonly status?: ReservationState;
      readonly lastSeq?: string;
      readonly limit?: number;
    } = {},
  ): Promise<ReservationPage> {
    const path = `/v1/reservation/list${queryOf(query)}`;
    return (await this.#call<{ data: ReservationPage }>({ method: 'GET', path })).data;
  }

  async readReservation(resvKey: string): Promise<Reservation> {
    const path = reservationPath(resvKey);
    return (await this.#call<{ data: Reservation }>({ method: 'GET', path })).data;
  }

  /** While it waits for its time. */
  async changeReservation(
    resvKey: string,
    change: { readonly resvSendTime?: string; readonly resvName?: string },
  ): Promise<Reservation> {
    const call = { method: 'PUT', path: reservationPath(resvKey), body: change } as const;
    return (await this.#call<{ data: Reservation }>(call)).data;
  }

  /** Nothing more of it is sent. */
  cancelReservation(resvKey: string): Promise<Reservation> {
    return this.#moveReservation(resvKey, 'cancel');
  }

  /** While it is being sent: the rest of its recipients wait. */
  stopReservation(resvKey: string): Promise<Reservation> {
    return this.#moveReservation(resvKey, 'stop');
  }

  resumeReservation(resvKey: string): Promise<Reservation> {
    return this.#moveReservation(resvKey, 'resume');
  }

  /** Up to 1,000 a call. */
  async addReservedRecipients(
    resvKey: string,
    destinations: OmniSend['destinations'],
    options: SendOptions = {},
  ): Promise<readonly DestinationResult[]> {
    const path = `${reservationPath(resvKey)}/destinations`;
    const call = { method: 'POST', path, body: { destinations }, headers: sendHeaders(options) } as const;
    return (await this.#call<{ data: OmniSent }>(call)).data.destinations;
  }

  async reservedRecipients(
    resvKey: string,
    query: { readonly lastSeq?: string; readonly limit?: number } = {},
  ): Promise<ReservedRecipientPage> {
    const path = `${reservationPath(resvKey)}/destinations${queryOf(query)}`;
    return (await this.#call<{ data: ReservedRecipientPage }>({ method: 'GET', path })).data;
  }

  async removeReservedRecipient(resvKey: string, msgKey: string): Promise<void> {
    const path = `${reservationPath(resvKey)}/destinations/msgKey/${encodeURIComponent(msgKey)}`;
    await this.#call({ method: 'DELETE', path });
  }

  async #moveReservation(resvKey: string, move: 'cancel' | 'stop' | 'resume'): Promise<Reservation> {
    const call = { method: 'POST', path: `${reservationPath(resvKey)}/${move}` } as const;
    return (await this.#call<{ data: Reservation }>(call)).data;
  }

  /** Saves a flow and returns its id. */
  async createForm(messageForm: readonly FlowEntry[]): Promise<string> {
    const call = { method: 'POST', path: '/v1/form', body: { messageForm } } as const;
    const { data } = await this.#call<{ data: { formId: string } }>(call);
    return data.formId;
  }

  async readForm(formId: string): Promise<Form> {
    const { data } = await this.#call<{ data: Form }>({ method: 'GET', path: formPath(formId) });
    return data;
  }

  async replaceForm(formId: string, messageForm: readonly FlowEntry[]): Promise<void> {
    await this.#call({ method: 'PUT', path: formPath(formId), body: { messageForm } });
  }

  async deleteForm(formId: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: formPath(formId) });
  }

  /** Uploads an image: a path to read it from, or its bytes and a name. */
  async uploadFile(
    purpose: FilePurpose,
    file: string | { readonly name: string; readonly bytes: Uint8Array<ArrayBuffer> },
  ): Promise<UploadedFile> {
    const { name, bytes } =
      typeof file === 'string' ? { name: basename(file), bytes: await readFile(file) } : file;
    const { serviceType, msgType, subType } = purpose;
    const segments = [serviceType, msgType, subType].filter(segment => segment !== undefined);
    const body = new FormData();
    body.append('file', new Blob([bytes], { type: imageType(name) }), name);
    const path = `/v1/file/${segments.map(encodeURIComponent).join('/')}`;
    const { data } = await this.#call<{ data: UploadedFile }>({ method: 'POST', path, body });
    return data;
  }

  /** The next batch of report records; the same one until it is acknowledged. */
  async poll(): Promise<ReportBatch> {
    const { data } = await this.#call<{ data: ReportBatch }>({ method: 'GET', path: '/v1/report/polling' });
    return data;
  }

  async acknowledge(reportId: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/v1/report/polling/${encodeURIComponent(reportId)}` });
  }

  /** The records of one message so far; none for an unknown key. */
  async inquire(msgKey: string): Promise<readonly Report[]> {
    const path = `/v1/report/inquiry/${encodeURIComponent(msgKey)}`;
    const { data } = await this.#call<{ data: { report: readonly Report[] } }>({ method: 'GET', path });
    return data.report;
  }

  /** Adds recipients who opted out; advertisements to them end at once with report code 90002. */
  async addOptOuts(optOuts: readonly NewOptOut[]): Promise<AddedOptOuts> {
    const call = { method: 'POST', path: '/v1/optout', body: { optOuts } } as const;
    return (await this.#call<{ data: AddedOptOuts }>(call)).data;
  }

  /** Notes that recipients agreed again; resolves to how many entries ended. */
  async giveConsentBack(recipients: readonly Consent[]): Promise<number> {
    const call = { method: 'POST', path: '/v1/optout/consent', body: { recipients } } as const;
    return (await this.#call<{ data: { ended: number } }>(call)).data.ended;
  }

  /** Adds the recipients of a CSV file in UTF-8, whose first line names its columns: `to`, and maybe `sender` and `covers`. */
  async importOptOuts(csv: string): Promise<AddedOptOuts> {
    const call = { method: 'POST', path: '/v1/optout/csv', body: csv } as const;
    return (await this.#call<{ data: AddedOptOuts }>(call)).data;
  }

  /** The whole list as a file, with when, how and by whom: the proof. */
  async exportOptOuts(): Promise<Response> {
    await this.listOptOuts();
    return this.#download('/v1/optout/csv');
  }

  /** Newest first; `next` is the cursor of the next page. */
  async listOptOuts(query: OptOutQuery = {}): Promise<OptOutPage> {
    const path = `/v1/optout?${new URLSearchParams({ ...query })}`;
    return (await this.#call<{ data: OptOutPage }>({ method: 'GET', path })).data;
  }

  /** The next batch of messages that people sent to your numbers; the same one until it is acknowledged. */
  async pollInbound(): Promise<InboundBatch> {
    const { data } = await this.#call<{ data: InboundBatch }>({ method: 'GET', path: '/v1/mo/polling' });
    return data;
  }

  async acknowledgeInbound(moId: string): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/v1/mo/polling/${encodeURIComponent(moId)}` });
  }

  /** One of them; undefined for an unknown key. */
  async inquireInbound(msgKey: string): Promise<InboundMessage | undefined> {
    const path = `/v1/message/inquiry/mo/msgKey/${encodeURIComponent(msgKey)}`;
    const { data } = await this.#call<{ data: { messages: readonly InboundMessage[] } }>({
      method: 'GET',
      path,
    });
    return data.messages[0];
  }

  /** A page of them, oldest first; `lastSeq` of the answer asks for the next. */
  async listInbound(query: InboundQuery): Promise<InboundPage> {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const path = `/v1/message/history/mo?${parameters}`;
    const { data } = await this.#call<{ data: InboundPage }>({ method: 'GET', path });
    return data;
  }

  /** One message of the account; throws a refusal if there is none. */
  async message(msgKey: string): Promise<OwnMessage> {
    return this.#read<OwnMessage>(`/v1/message/${encodeURIComponent(msgKey)}`);
  }

  /** The channel messages of one message so far; none for an unknown key. */
  async inquireMessage(msgKey: string): Promise<readonly MessageStatus[]> {
    const path = `/v1/message/inquiry/msgKey/${encodeURIComponent(msgKey)}`;
    return (await this.#read<{ messages: readonly MessageStatus[] }>(path)).messages;
  }

  /** The messages of one request, by a msgKey of it without its last three characters. */
  async inquireRequest(requestId: string): Promise<readonly MessageStatus[]> {
    const path = `/v1/message/inquiry/requestId/${encodeURIComponent(requestId)}`;
    return (await this.#read<{ messages: readonly MessageStatus[] }>(path)).messages;
  }

  /** A page of the messages of the account, newest first. */
  async history(query: HistoryQuery = {}): Promise<HistoryPage> {
    return this.#read<HistoryPage>(`/v1/message/history${queryOf(query)}`);
  }

  /** The same as a file for spreadsheets, as it comes. */
  async exportHistory(filters: HistoryFilters = {}): Promise<Response> {
    // A stream is not begun twice: a call that costs little finds out whether the token is still good.
    await this.history({ ...filters, limit: 1 });
    return this.#download(`/v1/message/history/export${queryOf(filters)}`);
  }

  async #download(path: string): Promise<Response> {
    const url = this.#options.url.replace(/\/+$/, '');
    const headers = { Authorization: await this.#authorized() };
    const response = await fetch(`${url}${path}`, { headers });
    if (response.ok) return response;
    const envelope = parseEnvelope(await response.text());
    throw new GatewayRefusal(envelope?.code ?? 'A999', envelope?.result ?? `HTTP ${response.status}`);
  }

  /** Messages of the account by day, channel and outcome. */
  async statistics(query: StatisticsQuery = {}): Promise<readonly DayStatistics[]> {
    const path = `/v1/message/statistics${queryOf(query)}`;
    return (await this.#read<{ statistics: readonly DayStatistics[] }>(path)).statistics;
  }

  /** Throws a refusal that says why, if it is too late. */
  async cancel(msgKey: string): Promise<void> {
    await this.#call({ method: 'POST', path: `/v1/message/${encodeURIComponent(msgKey)}/cancel` });
  }

  /** Every message of a request, each with its own result. */
  async cancelRequest(requestId: string): Promise<readonly CancelResult[]> {
    const path = `/v1/message/requestId/${encodeURIComponent(requestId)}/cancel`;
    const { data } = await this.#call<{ data: { messages: readonly CancelResult[] } }>({
      method: 'POST',
      path,
    });
    return data.messages;
  }

  async #read<T>(path: string): Promise<T> {
    return (await this.#call<{ data: T }>({ method: 'GET', path })).data;
  }

  /** A call with the token, repeated once with a new one if the token has expired. */
  async #call<T>(call: Call): Promise<T & Told> {
    const used = this.#authorized();
    try {
      return await this.#request<T>(withToken(call, await used));
    } catch (error) {
      if (!(error instanceof GatewayRefusal && TOKEN_ENDED.includes(error.code))) throw error;
      // Another call may have noticed first and be waiting for the new token already.
      if (this.#authorization === used) this.#authorization = undefined;
      return this.#request<T>(withToken(call, await this.#authorized()));
    }
  }

  #authorized(): Promise<string> {
    if (this.#authorization) return this.#authorization;
    const asked = this.token();
    this.#authorization = asked;
    // The waiting calls get the failure; it is not kept for the next one.
    asked.catch(() => {
      if (this.#authorization === asked) this.#authorization = undefined;
    });
    return asked;
  }

  async #request<T>({ method, path, headers, body }: Call): Promise<T & Told> {
    const { timeoutMs = TIMEOUT_MS } = this.#options;
    const url = this.#options.url.replace(/\/+$/, '');
    const isForm = body instanceof FormData;
    const type = typeof body === 'string' ? 'text/csv; charset=utf-8' : 'application/json';
    const isReady = isForm || typeof body === 'string';
    let status: number;
    let text: string;
    let isReplay: boolean;
    try {
      const response = await fetch(`${url}${path}`, {
        method,
        headers: { ...headers, ...(body && !isForm && { 'Content-Type': type }) },
        ...(body && { body: isReady ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      status = response.status;
      isReplay = response.headers.get('idempotent-replayed') === 'true';
      text = await response.text();
    } catch (error) {
      const reason = reasonOf(error, timeoutMs);
      throw new GatewayUnreachable(`no gateway answers at ${url} (${reason})`, { cause: error });
    }
    const envelope = parseEnvelope(text);
    if (!envelope) {
      throw new GatewayUnreachable(
        `no gateway answers at ${url} (HTTP ${status} without a result code: another program listens there)`,
      );
    }
    if (envelope.code !== SUCCESS) throw new GatewayRefusal(envelope.code, envelope.result);
    return { ...(envelope as Envelope & T), ...(isReplay && { isReplay }) };
  }
}

function withToken(call: Call, authorization: string): Call {
  return { ...call, headers: { ...call.headers, Authorization: authorization } };
}

function sendHeaders({ idempotencyKey }: SendOptions): Readonly<Record<string, string>> {
  return idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey };
}

function queryOf(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? '' : `?${parameters}`;
}

function reservationPath(resvKey: string): string {
  return `/v1/reservation/resvKey/${encodeURIComponent(resvKey)}`;
}

type OmniAnswer = { readonly data: OmniSent; readonly ref?: string };

function omniSent({ data, ref, isReplay }: OmniAnswer & Told): OmniSent {
  const { destinations, resvKey } = data;
  return {
    destinations,
    ...(resvKey !== undefined && { resvKey }),
    ...(ref !== undefined && { ref }),
    ...(isReplay && { isReplay }),
  };
}

function formPath(formId: string): string {
  return `/v1/form/${encodeURIComponent(formId)}`;
}

/** The gateway decides by the bytes; the declared type is a courtesy. */
function imageType(name: string): string {
  const extension = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? '';
  const types: Readonly<Record<string, string>> = {
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    png: 'image/png',
    gif: 'image/gif',
    bmp: 'image/bmp',
  };
  return types[extension] ?? 'application/octet-stream';
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
function reasonOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} s`;
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause ? String(cause.code) : cause.message;
}

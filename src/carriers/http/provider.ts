/** Turns the settings of a provider in bongsu.yaml into rules. Every problem is named with its key; nothing is guessed. */

import { CHANNELS, type Channel, channelNamed } from '../../domain/channels/channel.ts';
import type { CallbackAnswer } from '../../domain/delivery/carrier-callback.ts';
import { compileCallbackAccess } from './callback-access.ts';
import type { CallbackRules, InboundRules } from './callbacks.ts';
import { compileInbound } from './inbound.ts';
import { compileMedia, type MediaRules } from './media-template.ts';
import type {
  CallbackOptions,
  HttpCarrierOptions,
  InboundOptions,
  PollingOptions,
  RequestOptions,
  TokenOptions,
} from './options.ts';
import { compileOutcomes, compilePointer, compileReportCodes, type Outcomes } from './outcome.ts';
import { SUBMIT_NAMES, TIME_NAMES } from './placeholders.ts';
import type { Pointer } from './pointer.ts';
import type { PollingRules } from './polled-receipts.ts';
import { parseJson } from './provider-answer.ts';
import { compileReceipts, type ReceiptReader } from './receipts.ts';
import { type RequestTemplate, requestTemplate } from './request-template.ts';
import { isPlaceholderIn, textTemplate } from './template.ts';
import type { ReadToken } from './token-source.ts';

export interface Provider {
  readonly submits: ReadonlyMap<Channel, RequestTemplate>;
  readonly outcomes: Outcomes;
  readonly token: TokenRules | undefined;
  readonly callback: CallbackRules | undefined;
  readonly inbound: InboundRules | undefined;
  readonly polling: PollingRules | undefined;
  readonly media: MediaRules | undefined;
  readonly test: RequestTemplate | undefined;
}

export interface TokenRules {
  readonly request: RequestTemplate;
  readonly read: ReadToken;
  readonly headers: (token: string) => Readonly<Record<string, string>>;
}

/** `path` is the place of the provider in the file; `publicUrl` where this gateway is reached from outside. */
export function compileProvider(
  name: string,
  options: HttpCarrierOptions,
  publicUrl: string | undefined,
  problems: string[],
): Provider {
  const path = `carriers.${name}`;
  const { auth, repeatable, idempotencyHeader, polling, media, test } = options;
  const reportCodes = compileReportCodes(options.reportCodes, `${path}.reportCodes`, problems);
  const read = options.receipt && compileReceipts(options.receipt, reportCodes, `${path}.receipt`, problems);
  if (repeatable && !idempotencyHeader && !isPlaceholderIn([options.submit, options.channels], 'attemptId')) {
    problems.push(`${path}.repeatable: needs idempotencyHeader, or {{attemptId}} in the submit`);
  }
  const scope = { names: TIME_NAMES, problems };
  return {
    submits: compileSubmits(options, path, problems),
    outcomes: compileOutcomes(options.outcomes, reportCodes, `${path}.outcomes`, problems),
    token: auth?.token && compileToken(auth.token, `${path}.auth.token`, problems),
    callback: compileCallback(name, options, publicUrl, read, `${path}.callback`, problems),
    inbound:
      options.inbound && compileInboundRules(name, options.inbound, publicUrl, `${path}.inbound`, problems),
    polling: polling && compilePolling(polling, read, `${path}.polling`, problems),
    media: media && compileMedia(media, `${path}.media`, problems),
    test: test && requestTemplate(test, `${path}.test`, scope, 'GET'),
  };
}

function compileSubmits(
  options: HttpCarrierOptions,
  path: string,
  problems: string[],
): Map<Channel, RequestTemplate> {
  const { submit, channels, callback } = options;
  const scope = { names: SUBMIT_NAMES, problems };
  const submits = new Map<Channel, RequestTemplate>();
  for (const [name, own] of Object.entries(channels)) {
    const channel = channelNamed(name);
    if (!channel) {
      problems.push(`${path}.channels: "${name}" is no channel; expected ${CHANNELS.join(', ')}`);
      continue;
    }
    submits.set(channel, requestTemplate(merged(submit, own), `${path}.channels.${name}`, scope));
  }
  if (submits.size === 0) problems.push(`${path}.channels: expected at least one channel`);
  if (isPlaceholderIn([submit, channels], 'callbackUrl') && callback?.urlSecret === undefined) {
    problems.push(`${path}.callback.urlSecret: missing; {{callbackUrl}} needs it`);
  }
  return submits;
}

/** The settings of a channel win over those that all channels share. */
function merged(shared: RequestOptions, own: RequestOptions): RequestOptions {
  const hasBody = own.json !== undefined || own.form !== undefined;
  return {
    method: own.method ?? shared.method,
    url: own.url ?? shared.url,
    query: own.query ?? shared.query,
    headers: { ...shared.headers, ...own.headers },
    json: hasBody ? own.json : shared.json,
    form: hasBody ? own.form : shared.form,
  };
}

function compileToken(options: TokenOptions, path: string, problems: string[]): TokenRules | undefined {
  const request = requestTemplate(options, path, { names: TIME_NAMES, problems });
  const token = compilePointer(options.token, `${path}.token`, problems);
  const expires = compilePointer(options.expires, `${path}.expires`, problems);
  const value = textTemplate(options.value, `${path}.value`, { names: ['token'], problems });
  const header = options.header.toLowerCase();
  return (
    token && {
      request,
      read: answer => readToken(answer, token, expires, options.lifetime),
      headers: text => ({ [header]: value({ token: text }) ?? '' }),
    }
  );
}

function readToken(
  { status, body }: Parameters<ReadToken>[0],
  token: Pointer,
  expires: Pointer | undefined,
  otherwiseMs: number,
): ReturnType<ReadToken> {
  const json = parseJson(body);
  const found = token.text(json);
  if (status >= 300 || found === undefined) {
    return { reason: `no token in the answer with status ${status}` };
  }
  const seconds = Number(expires?.text(json) ?? Number.NaN);
  return { token: found, lifetimeMs: seconds > 0 ? seconds * 1000 : otherwiseMs };
}

function compileCallback(
  name: string,
  { callback }: Pick<HttpCarrierOptions, 'callback'>,
  publicUrl: string | undefined,
  read: ReceiptReader | undefined,
  path: string,
  problems: string[],
): CallbackRules | undefined {
  if (!callback) return undefined;
  if (!read) problems.push(`${path}: needs receipt, which says how to read one`);
  if (callback.urlSecret !== undefined && (callback.publicUrl ?? publicUrl) === undefined) {
    problems.push(`${path}.publicUrl: missing, and BONGSU_PUBLIC_URL is not set; {{callbackUrl}} needs one`);
  }
  const access = compileCallbackAccess(name, callback, publicUrl, path, problems);
  const list = compilePointer(callback.list, `${path}.list`, problems);
  return read && { access, read, list, reply: replyOf(callback) };
}

function compileInboundRules(
  name: string,
  options: InboundOptions,
  publicUrl: string | undefined,
  path: string,
  problems: string[],
): InboundRules {
  const checks = { ...options, urlSecret: undefined, publicUrl: undefined };
  return {
    access: compileCallbackAccess(name, checks, publicUrl, path, problems),
    read: compileInbound(options, path, problems),
    list: compilePointer(options.list, `${path}.list`, problems),
    reply: replyOf(options),
  };
}

function replyOf({ reply }: Pick<CallbackOptions, 'reply'>): CallbackAnswer {
  const { status = 200, json, text = '' } = reply ?? {};
  return json === undefined
    ? { status, contentType: 'text/plain; charset=utf-8', body: text }
    : { status, contentType: 'application/json', body: JSON.stringify(json) };
}

function compilePolling(
  options: PollingOptions,
  read: ReceiptReader | undefined,
  path: string,
  problems: string[],
): PollingRules | undefined {
  if (!read) problems.push(`${path}: needs receipt, which says how to read one`);
  const { acknowledge, ok } = options;
  const fetch = requestTemplate(options, path, { names: TIME_NAMES, problems }, 'GET');
  const list = compilePointer(options.list, `${path}.list`, problems);
  const scope = { names: ['batch', 'ids', 'ids.*', ...TIME_NAMES], problems };
  const rules = {
    fetch,
    acknowledge: acknowledge && requestTemplate(acknowledge, `${path}.acknowledge`, scope),
    batch: compilePointer(options.batch, `${path}.batch`, problems),
    isOk: ok && compileOk(ok, `${path}.ok.pointer`, problems),
    intervalMs: options.interval,
    idleIntervalMs: options.idleInterval,
  };
  return read && list && { ...rules, read, list };
}

function compileOk(
  { pointer: text, equals }: NonNullable<PollingOptions['ok']>,
  path: string,
  problems: string[],
): PollingRules['isOk'] {
  const pointer = compilePointer(text, path, problems);
  return document => equals.includes(pointer?.text(document) ?? '');
}

/**
 * A request made from templates. Values are encoded for their place: percent-encoded in the address, as
 * JSON in JSON. The host is fixed by the configuration; no value can choose where a request goes.
 */
import type { OutboundRequest } from '../../platform/outbound.ts';
import type { RequestOptions } from './options.ts';
import {
  mapTemplate,
  structureTemplate,
  type TemplateScope,
  type TemplateValues,
  textTemplate,
} from './template.ts';

export type RenderedRequest = Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body'>;

export type RequestTemplate = (values: TemplateValues) => RenderedRequest;

export function requestTemplate(
  options: RequestOptions,
  path: string,
  scope: TemplateScope,
  defaultMethod = 'POST',
): RequestTemplate {
  const { method = defaultMethod, url = '', query = {}, headers = {}, json, form } = options;
  if (url === '') scope.problems.push(`${path}.url: missing; expected an http(s) URL`);
  else if (!/^https?:\/\/[^/?#{}@\s]+([/?]|$)/.test(url)) {
    scope.problems.push(`${path}.url: expected an http(s) URL whose host has no placeholder and no password`);
  } else if (/\?\s*\}\}/.test(url)) {
    scope.problems.push(`${path}.url: an address has no optional parts; expected {{name}}, or query`);
  }
  if (json !== undefined && form !== undefined) {
    scope.problems.push(`${path}: expected one of json and form, not both`);
  }
  if (method === 'GET' && (json ?? form) !== undefined) {
    scope.problems.push(`${path}: a GET has no body; expected query instead of json or form`);
  }
  const makeUrl = textTemplate(url, `${path}.url`, scope, pathEncoded);
  const makeQuery = mapTemplate(query, `${path}.query`, scope);
  const makeHeaders = mapTemplate(headers, `${path}.headers`, scope);
  const makeBody = bodyTemplate(json, form, path, scope);
  return values => {
    const { type, body } = makeBody(values);
    const fixed = Object.fromEntries(
      makeHeaders(values).map(([name, value]) => [name.toLowerCase(), headerValue(value)]),
    );
    return {
      method,
      url: withQuery(makeUrl(values) ?? url, makeQuery(values)),
      headers: { ...(type !== undefined && { 'content-type': type }), ...fixed },
      ...(body !== undefined && { body }),
    };
  };
}

type Body = { readonly type?: string; readonly body?: string };

function bodyTemplate(
  json: unknown,
  form: Readonly<Record<string, string>> | undefined,
  path: string,
  scope: TemplateScope,
): (values: TemplateValues) => Body {
  if (json !== undefined) {
    const make = structureTemplate(json, `${path}.json`, scope);
    return values => ({ type: 'application/json', body: JSON.stringify(make(values) ?? null) });
  }
  if (form !== undefined) {
    const make = mapTemplate(form, `${path}.form`, scope);
    return values => ({ type: 'application/x-www-form-urlencoded', body: encoded(make(values)) });
  }
  return () => ({});
}

function withQuery(url: string, pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return url;
  return `${url}${url.includes('?') ? '&' : '?'}${encoded(pairs)}`;
}

function encoded(pairs: readonly (readonly [string, string])[]): string {
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

/** A value cannot end the header or begin another; what is not ASCII is percent-encoded. */
function headerValue(value: string): string {
  return value.replace(/[^\x20-\x7e]+/gu, percentEncoded);
}

/** Within an address `.` and `..` would lead elsewhere, encoded or not. */
function pathEncoded(text: string): string {
  return /^\.{1,2}$/.test(text) ? '' : percentEncoded(text);
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

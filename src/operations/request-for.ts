/** The HTTP request of a call: for the console, and for commands with --url. */
import type { Address, Method } from './operation.ts';

interface OperationRequest {
  readonly method: Method;
  /** Below /admin/v1, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** A text is a file. */
  readonly body: object | string | undefined;
}

export function requestFor(address: Address, asked: object): OperationRequest {
  const [method, template] = address.split(' ') as [Method, string];
  const rest = new Map<string, unknown>(Object.entries(asked));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name));
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const members = Object.fromEntries(rest);
  if (method !== 'GET') {
    const { file, fields } = members;
    const whole = typeof file === 'string' ? file : typeof fields === 'object' ? fields : undefined;
    const body = whole ?? (rest.size > 0 ? members : undefined);
    return { method, path, query: {}, body };
  }
  const given = [...rest].filter(([, value]) => value !== undefined && value !== '');
  const query = Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
  return { method, path, query, body: undefined };
}

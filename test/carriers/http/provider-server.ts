/** A small provider under the control of a test: it records what it is asked and answers what it is told to. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface ProviderRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The body as bytes, for files. */
  readonly bytes: Buffer;
}

export type ProviderHandler = (request: ProviderRequest, response: ServerResponse) => void | Promise<void>;

export class ProviderServer {
  readonly url: string;
  readonly requests: ProviderRequest[] = [];
  handle: ProviderHandler;
  /** Ends it, with every connection. */
  readonly stop: () => void;

  constructor(url: string, handle: ProviderHandler, stop: () => void) {
    this.url = url;
    this.handle = handle;
    this.stop = stop;
  }

  /** What was asked at a path. */
  at(path: string): ProviderRequest[] {
    return this.requests.filter(request => request.path === path);
  }
}

export async function startProvider(t: TestContext, handle: ProviderHandler): Promise<ProviderServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://provider');
      const bytes = Buffer.concat(chunks);
      const recorded: ProviderRequest = {
        method: request.method ?? '',
        path: pathname,
        query: searchParams,
        headers: request.headers as Record<string, string>,
        body: bytes.toString(),
        bytes,
      };
      provider.requests.push(recorded);
      void provider.handle(recorded, response);
    });
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => server.once('listening', resolve));
  const stop = () => {
    server.closeAllConnections();
    server.close();
  };
  t.after(stop);
  const { port } = server.address() as AddressInfo;
  const provider = new ProviderServer(`http://127.0.0.1:${port}`, handle, stop);
  return provider;
}

export function json(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

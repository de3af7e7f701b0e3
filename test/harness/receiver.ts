/** A receiver of webhooks on a free port of the loopback, whose answers the test decides. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { until } from './until.ts';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly record: Readonly<Record<string, string>>;
}

type Respond = (response: ServerResponse, received: Received, index: number) => void;

export interface Receiver {
  readonly url: string;
  /** Every call so far, in order. */
  readonly received: readonly Received[];
  respond: Respond;
  /** Waits until a record of each of these messages has arrived. */
  allArrived(msgKeys: readonly string[]): Promise<void>;
}

/** What a receiver should do. */
export const acknowledge: Respond = (response, { record }) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ msgKey: record.msgKey }));
};

export const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Respond =>
  response => {
    response.writeHead(status, headers);
    response.end(body);
  };

export async function startReceiver(t: TestContext, respond: Respond = acknowledge): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    // A parallel test may still call a server of its own that had this port before.
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const call = { headers: request.headers, text, record: JSON.parse(text) };
    received.push(call);
    receiver.respond(response, call, received.length - 1);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/reports`,
    received,
    respond,
    async allArrived(msgKeys) {
      await until('every record has arrived', () => {
        const arrived = new Set(received.map(({ record }) => record.msgKey));
        return msgKeys.every(msgKey => arrived.has(msgKey));
      });
    },
  };
  return receiver;
}

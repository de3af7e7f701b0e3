/** A receiver of webhooks on a free port of the loopback, whose answers the test decides. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly record: Readonly<Record<string, string>>;
}

export type Respond = (response: ServerResponse, received: Received, index: number) => void;

export interface Receiver {
  readonly url: string;
  /** Everything that has arrived, in its order. */
  readonly received: readonly Received[];
  respond: Respond;
}

/** What a receiver should do. */
export const acknowledge: Respond = (response, { record }) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ msgKey: record.msgKey }));
};

export const hang: Respond = () => {};

export const answerWith =
  (status: number, headers: Readonly<Record<string, string>> = {}, body = ''): Respond =>
  response => {
    response.writeHead(status, headers);
    response.end(body);
  };

export async function startReceiver(t: TestContext, respond: Respond = acknowledge): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    // A test that runs beside this one may ask for its own server, which had this port before.
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
  const receiver = { url: `http://127.0.0.1:${port}/reports`, received, respond };
  return receiver;
}

/** The requests that reach a server, from the bytes of its connections: not all of them become requests of Node's server. */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Method and target of each, such as `POST /v1/send/sms`; it grows. */
export function heardRequests(server: Server): string[] {
  const heard: string[] = [];
  server.on('connection', (socket: Socket) =>
    socket.on('data', (packet: Buffer) => {
      const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.1\r\n/.exec(packet.toString('latin1')) ?? [];
      if (method !== undefined) heard.push(`${method} ${target}`);
    }),
  );
  return heard;
}

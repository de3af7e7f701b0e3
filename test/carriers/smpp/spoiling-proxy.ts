/** A proxy in front of an SMSC that spoils its answers to submits. What goes to the SMSC, and its other PDUs, pass as they are. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { FrameReader } from '../../../src/carriers/smpp/frame-reader.ts';

/**
 *   drop           it never comes
 *   delay          it comes `delayMs` later
 *   garbleId       octets that are no text instead of its message id
 *   garbleCommand  a command that there is none of
 *   garbleLength   a length that no PDU has: nothing behind it can be read
 *   cut            the connection ends in the middle of it
 */
export type Spoil = 'pass' | 'drop' | 'delay' | 'garbleId' | 'garbleCommand' | 'garbleLength' | 'cut';

const SUBMIT_SM_RESP = 0x8000_0004;
const HEADER_BYTES = 16;
const COMMAND_AT = 4;

/** Resolves to its port. `spoil` is asked for each answer, in their order over all connections. */
export async function spoilAnswers(
  t: TestContext,
  smscPort: number,
  delayMs: number,
  spoil: (index: number) => Spoil,
): Promise<number> {
  let answers = 0;
  const sockets = new Set<Socket>();
  const server = createServer(client => {
    const smsc = connect(smscPort, '127.0.0.1');
    const frames = new FrameReader();
    for (const [from, to] of [
      [client, smsc],
      [smsc, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
    client.on('data', octets => smsc.write(octets));
    const say = (octets: Buffer) => {
      if (!client.destroyed) client.write(octets);
    };
    const answer = (octets: Buffer) => {
      switch (spoil(answers++)) {
        case 'pass':
          return say(octets);
        case 'drop':
          return;
        case 'delay':
          return void setTimeout(say, delayMs, octets);
        case 'garbleId':
          return say(octets.fill(0xff, HEADER_BYTES));
        case 'garbleCommand':
          octets.writeUInt32BE(0x8000_7777, COMMAND_AT);
          return say(octets);
        case 'garbleLength':
          octets.writeUInt32BE(0xffff_ffff, 0);
          return say(octets);
        case 'cut':
          say(octets.subarray(0, HEADER_BYTES - 1));
          return client.end();
      }
    };
    smsc.on('data', chunk => {
      frames.push(chunk, frame => {
        const octets = Buffer.from(frame);
        if (octets.readUInt32BE(COMMAND_AT) === SUBMIT_SM_RESP) answer(octets);
        else say(octets);
      });
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

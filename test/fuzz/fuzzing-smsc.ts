/** An SMSC that binds properly and then says whatever it is told to say. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { decodePdu } from '../../src/carriers/smpp/decode.ts';
import { encodePdu } from '../../src/carriers/smpp/encode.ts';
import { FrameReader } from '../../src/carriers/smpp/frame-reader.ts';
import { HEADER_BYTES, MAX_PDU_BYTES, type Pdu } from '../../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../../src/carriers/smpp/pdu-writer.ts';

/** Longer than anything that ends. */
const LONGEST_WAIT_MS = 60_000;
const NO_LINK_MS = 10_000;

export class FuzzingSmsc {
  readonly #server: Server;
  readonly #links = new Set<SmscLink>();
  /** Bound and without an input of ours. */
  readonly #idle: SmscLink[] = [];
  readonly #waiting: ((link: SmscLink | undefined) => void)[] = [];
  readonly #replies: { readonly octets: Buffer; readonly taken: () => void }[] = [];
  #messageId = 0;

  private constructor() {
    this.#server = createServer(socket => {
      const link = new SmscLink(socket, {
        bound: () => this.#giveBack(link),
        submitted: sequence => link.write(this.#replyTo(sequence)),
        ended: () => {
          this.#links.delete(link);
          const at = this.#idle.indexOf(link);
          if (at >= 0) this.#idle.splice(at, 1);
        },
      });
      this.#links.add(link);
    });
  }

  static async start(): Promise<FuzzingSmsc> {
    const smsc = new FuzzingSmsc();
    smsc.#server.listen(0, '127.0.0.1');
    await once(smsc.#server, 'listening');
    return smsc;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /**
   * Says it on some link and resolves to what the gateway said, up to the answer to an enquire_link behind it; `closed` where
   * the gateway ends the session, undefined where it says nothing any more.
   */
  async say(octets: Buffer): Promise<readonly string[] | 'closed' | 'no link' | undefined> {
    const link = await this.#take();
    if (!link) return 'no link';
    const heard = await link.say(octets);
    if (heard !== 'closed' && heard !== undefined) this.#giveBack(link);
    return heard;
  }

  /** The next submit gets this for an answer. Resolves when it did, or after a while. */
  replyNext(octets: Buffer, patienceMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), patienceMs);
    const taken = () => {
      clearTimeout(timer);
      resolve(true);
    };
    this.#replies.push({ octets, taken });
    return promise;
  }

  close(): void {
    this.#server.close();
    for (const link of this.#links) link.close();
    for (const resolve of this.#waiting.splice(0)) resolve(undefined);
  }

  #replyTo(sequence: number): Buffer {
    const next = this.#replies.shift();
    if (!next) {
      const messageId = String(this.#messageId++ % 100);
      return octetsOf({ command: 'submitSmResp', status: 0, sequence, messageId, tlvs: [] });
    }
    next.taken();
    const octets = Buffer.from(next.octets);
    if (octets.length >= HEADER_BYTES) octets.writeUInt32BE(sequence, HEADER_BYTES - 4);
    return octets;
  }

  #take(): Promise<SmscLink | undefined> {
    const link = this.#idle.shift();
    if (link) return Promise.resolve(link);
    const { promise, resolve } = Promise.withResolvers<SmscLink | undefined>();
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(give), 1);
      resolve(undefined);
    }, NO_LINK_MS);
    const give = (given: SmscLink | undefined) => {
      clearTimeout(timer);
      resolve(given);
    };
    this.#waiting.push(give);
    return promise;
  }

  #giveBack(link: SmscLink): void {
    const next = this.#waiting.shift();
    if (next) next(link);
    else this.#idle.push(link);
  }
}

class SmscLink {
  readonly #socket: Socket;
  #sequence = 0x3fff_0000;
  #heard: string[] = [];
  #isEnded = false;
  /** The enquire_link that ends what is being said. */
  #mark:
    | { readonly sequence: number; readonly done: (heard: readonly string[] | 'closed') => void }
    | undefined;

  constructor(
    socket: Socket,
    handlers: { bound: () => void; submitted: (sequence: number) => void; ended: () => void },
  ) {
    this.#socket = socket;
    const frames = new FrameReader();
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#isEnded = true;
      handlers.ended();
      this.#mark?.done('closed');
    });
    socket.on('data', chunk => {
      frames.push(chunk, frame => this.#handle(decodePdu(Buffer.from(frame)), handlers));
    });
  }

  async say(octets: Buffer): Promise<readonly string[] | 'closed' | undefined> {
    if (this.#isEnded) return 'closed';
    this.#heard = [];
    const sequence = this.#sequence++;
    const { promise, resolve } = Promise.withResolvers<readonly string[] | 'closed' | undefined>();
    const timer = setTimeout(() => resolve(undefined), LONGEST_WAIT_MS);
    this.#mark = { sequence, done: resolve };
    this.write(octets);
    // Half a frame would swallow whatever comes behind it: the link ends there.
    if (isWholeFrames(octets)) this.write(octetsOf({ command: 'enquireLink', status: 0, sequence }));
    else this.#socket.end();
    const heard = await promise;
    clearTimeout(timer);
    this.#mark = undefined;
    return heard;
  }

  write(octets: Buffer): void {
    if (!this.#isEnded) this.#socket.write(octets);
  }

  close(): void {
    this.#socket.destroy();
  }

  #handle(
    pdu: ReturnType<typeof decodePdu>,
    handlers: { bound: () => void; submitted: (sequence: number) => void },
  ): void {
    const { sequence } = pdu;
    switch (pdu.command) {
      case 'bindTransceiver':
        this.write(
          octetsOf({ command: 'bindTransceiverResp', status: 0, sequence, systemId: 'fuzz', tlvs: [] }),
        );
        handlers.bound();
        break;
      case 'submitSm':
        handlers.submitted(sequence);
        break;
      case 'enquireLink':
        this.write(octetsOf({ command: 'enquireLinkResp', status: 0, sequence }));
        break;
      case 'unbind':
        this.write(octetsOf({ command: 'unbindResp', status: 0, sequence }));
        break;
      case 'enquireLinkResp':
        if (sequence === this.#mark?.sequence) this.#mark.done(this.#heard);
        break;
      default:
        this.#heard.push(`${pdu.command} ${'status' in pdu ? pdu.status : ''}`);
    }
  }
}

/** A length that no PDU has ends the session, and so is whole as well. */
function isWholeFrames(octets: Buffer): boolean {
  let at = 0;
  while (at + 4 <= octets.length) {
    const length = octets.readUInt32BE(at);
    if (length < HEADER_BYTES || length > MAX_PDU_BYTES) return true;
    at += length;
  }
  return at === octets.length;
}

export function octetsOf(pdu: Pdu): Buffer {
  const writer = new PduWriter();
  encodePdu(writer, pdu);
  return Buffer.from(writer.take());
}

/**
 * One SMPP session over one socket, from connecting to its end. It is never used again: a link makes a new one.
 *
 *   connecting  the socket opens
 *   binding     bind was sent
 *   bound       submits are written while the window has room and the socket takes them
 *   draining    asked to leave: takes no submits, waits for the answers under way
 *   unbinding   unbind was sent
 *   closed      the end, from any state: socket gone, garbage read, bind refused, no sign of life, submits not answered
 *
 * At the end every submit that was written is settled as `silent` and every other as `unsent`. What must never happen: a
 * submit settled twice, or not at all; a session that looks alive and no longer reads.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../platform/clock.ts';
import { type DecodeFault, decodePdu, refusalOf } from './decode.ts';
import { FrameReader } from './frame-reader.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Outgoing } from './in-flight.ts';
import { Outbox } from './outbox.ts';
import type { BindPdu, DataPdu, MessagePdu, Pdu } from './pdu.ts';
import { describeStatus, STATUS } from './statuses.ts';

export interface SessionOptions {
  readonly window: number;
  readonly bindTimeoutMs: number;
  readonly responseTimeoutMs: number;
  /** Silence after which the other side is asked for a sign of life; the answer has as long again. */
  readonly enquireLinkMs: number;
}

export interface SessionEnd {
  /** For people. */
  readonly reason: string;
  /** The status with which the bind was refused. */
  readonly bindStatus?: number;
  /** Submits that were written and not answered: their messages become unknown. */
  readonly unanswered: number;
}

export interface SessionHandlers {
  bound(): void;
  /** A message from the other side. It counts as unanswered until `answer` is called with a status. */
  received(pdu: MessagePdu | DataPdu, answer: (status: number) => void, session: Session): void;
  ended(end: SessionEnd): void;
  noticed(name: string, details?: Readonly<Record<string, string | number>>): void;
}

export type BindRequest = Omit<BindPdu, 'status' | 'sequence'>;

type SessionState = 'connecting' | 'binding' | 'bound' | 'draining' | 'unbinding' | 'closed';

/** Messages of the other side that wait for us; beyond this it is asked to send them again later. */
const MOST_UNANSWERED = 1000;
const MOST_SWEEP_MS = 1000;
const UNBIND_TIMEOUT_MS = 5000;
/** So many submits in a row without an answer end the session, unless an answer comes within as long as one may take. */
const MOST_MISSED = 5;

export class Session {
  readonly #socket: Socket;
  readonly #options: SessionOptions;
  readonly #clock: Clock;
  readonly #handlers: SessionHandlers;
  readonly #frames = new FrameReader();
  readonly #outbox: Outbox;
  readonly #heartbeat: Heartbeat;
  #state: SessionState = 'connecting';
  #unanswered = 0;
  /** Submits of ours without an answer, in a row, and when the first was given up. */
  #missed = 0;
  #missedSince = 0;
  #leavers: (() => void)[] = [];
  #cancelTimer: () => void;
  #cancelSweep: () => void = () => {};

  /** `connected` is the event of the socket that says it can be used. */
  constructor(deps: {
    readonly socket: Socket;
    readonly connected: 'connect' | 'secureConnect';
    readonly bind: BindRequest;
    readonly options: SessionOptions;
    readonly clock: Clock;
    readonly handlers: SessionHandlers;
  }) {
    const { socket, options, clock } = deps;
    this.#socket = socket;
    this.#outbox = new Outbox(socket, options.window, clock);
    this.#options = options;
    this.#clock = clock;
    this.#handlers = deps.handlers;
    const { enquireLinkMs, responseTimeoutMs } = options;
    const limits = { silenceMs: enquireLinkMs, answerMs: Math.min(enquireLinkMs, responseTimeoutMs) };
    this.#heartbeat = new Heartbeat(clock, limits, () => this.#enquire());
    this.#cancelTimer = clock.schedule(options.bindTimeoutMs, () => this.#end('no answer to bind in time'));
    socket.setNoDelay(true);
    socket.once(deps.connected, () => {
      this.#state = 'binding';
      this.#outbox.send({ ...deps.bind, status: 0, sequence: this.#outbox.nextSequence() });
    });
    socket.on('data', chunk => this.#read(chunk));
    socket.on('drain', () => this.#readWhileRoom());
    socket.on('error', error => this.#end(error.message));
    // At its end nothing more can be read; to wait until the rest is written could take for ever.
    for (const event of ['end', 'close']) {
      socket.once(event, () => this.#end('the peer closed the connection'));
    }
  }

  get isBound(): boolean {
    return this.#state === 'bound';
  }

  /** Writes the submit as soon as window and socket allow. */
  submit(outgoing: Outgoing): void {
    if (this.#state !== 'bound') {
      outgoing.settle({ kind: 'unsent' });
      return;
    }
    this.#outbox.submit(outgoing);
  }

  /** Takes back what was not written yet. */
  giveBackWaiting(): void {
    this.#outbox.giveBackWaiting();
  }

  /** Asks for a sign of life; false where the session ends before one comes. */
  enquire(): Promise<boolean> {
    if (this.#state !== 'bound') return Promise.resolve(false);
    return this.#heartbeat.probe();
  }

  /** Waits for answers under way, as long as a response may take, then unbinds. Resolves at the end of the session. */
  leave(): Promise<void> {
    if (this.#state === 'closed') return Promise.resolve();
    return new Promise(resolve => {
      this.#leavers.push(resolve);
      if (this.#state === 'connecting' || this.#state === 'binding')
        return this.#end('we closed the connection');
      if (this.#state !== 'bound') return;
      this.#state = 'draining';
      this.#cancelTimer = this.#clock.schedule(this.#options.responseTimeoutMs, () => this.#unbind());
      this.#unbindIfDrained();
    });
  }

  #read(chunk: Buffer): void {
    const isSound = this.#frames.push(chunk, frame => {
      this.#heartbeat.heard();
      if (this.#state !== 'closed') this.#handle(decodePdu(frame));
    });
    if (!isSound) {
      this.#handlers.noticed('garbage');
      this.#end('the peer sent data that is not SMPP');
      return;
    }
    this.#unbindIfDrained();
    this.#readWhileRoom();
  }

  #handle(pdu: Pdu | DecodeFault): void {
    switch (pdu.command) {
      case 'submitSmResp':
        this.#settle(pdu.sequence, pdu.status, pdu.messageId);
        break;
      case 'deliverSm':
      case 'dataSm':
        this.#receive(pdu);
        break;
      case 'enquireLink':
        this.#outbox.send({ command: 'enquireLinkResp', status: 0, sequence: pdu.sequence });
        break;
      case 'enquireLinkResp':
        this.#heartbeat.answered(pdu.sequence);
        break;
      case 'bindTransmitterResp':
      case 'bindReceiverResp':
      case 'bindTransceiverResp':
        this.#bindAnswered(pdu.status);
        break;
      case 'unbind':
        this.#outbox.send({ command: 'unbindResp', status: 0, sequence: pdu.sequence });
        this.#outbox.flush();
        this.#end('the peer unbound', true);
        break;
      case 'unbindResp':
        this.#end('we closed the connection', true);
        break;
      case 'genericNack':
        this.#refused(pdu.sequence, pdu.status || STATUS.systemError);
        break;
      case 'fault':
        this.#answerFault(pdu);
        break;
      case 'outbind':
      case 'deliverSmResp':
      case 'dataSmResp':
        this.#handlers.noticed('unexpectedPdu', { command: pdu.command });
        break;
      case 'submitSm':
      case 'bindTransmitter':
      case 'bindReceiver':
      case 'bindTransceiver': {
        const { command, sequence } = pdu;
        this.#handlers.noticed('unexpectedPdu', { command });
        this.#outbox.send({ command: 'genericNack', status: STATUS.invalidCommandId, sequence });
        break;
      }
    }
  }

  #bindAnswered(status: number): void {
    if (this.#state !== 'binding') return;
    if (status !== STATUS.ok) {
      this.#end(`bind refused: ${describeStatus(status)}`, false, status);
      return;
    }
    this.#state = 'bound';
    this.#cancelTimer();
    this.#sweepLater();
    this.#handlers.bound();
  }

  /** generic_nack: whatever we sent with this number was not understood. */
  #refused(sequence: number, status: number): void {
    if (this.#state === 'binding') this.#bindAnswered(status);
    else if (!this.#heartbeat.answered(sequence)) this.#settle(sequence, status, '');
  }

  #settle(sequence: number, status: number, messageId: string): void {
    const settled = this.#outbox.settle(sequence, { kind: 'answered', status, messageId });
    if (settled !== 'unknown') this.#missed = 0;
    if (settled !== 'settled') this.#handlers.noticed('lateResponse', { status });
  }

  #receive(pdu: MessagePdu | DataPdu): void {
    const { sequence } = pdu;
    const command = pdu.command === 'deliverSm' ? 'deliverSmResp' : 'dataSmResp';
    const answer = (status: number) =>
      this.#outbox.send({ command, status, sequence, messageId: '', tlvs: [] });
    // Not by reading no more: the answers to our submits come the same way.
    if (this.#unanswered >= MOST_UNANSWERED) {
      answer(STATUS.temporaryAppError);
      return;
    }
    this.#unanswered++;
    let isAnswered = false;
    const answerOnce = (status: number) => {
      if (isAnswered || this.#state === 'closed') return;
      isAnswered = true;
      this.#unanswered--;
      answer(status);
      this.#unbindIfDrained();
    };
    this.#handlers.received(pdu, answerOnce, this);
  }

  #answerFault(fault: DecodeFault): void {
    const { commandId, status } = fault;
    this.#handlers.noticed('unreadablePdu', { commandId, status });
    const refusal = refusalOf(fault);
    if (refusal) this.#outbox.send(refusal);
  }

  /** A peer that does not read our answers gets no more of them. */
  #readWhileRoom(): void {
    if (this.#outbox.isOverfull) this.#socket.pause();
    else if (this.#socket.isPaused()) this.#socket.resume();
  }

  #sweepLater(): void {
    const { responseTimeoutMs, enquireLinkMs } = this.#options;
    const everyMs = Math.max(1, Math.min(MOST_SWEEP_MS, responseTimeoutMs / 4, enquireLinkMs / 4));
    this.#cancelSweep = this.#clock.schedule(everyMs, () => {
      this.#sweep();
      if (this.#state !== 'closed') this.#sweepLater();
    });
  }

  #sweep(): void {
    const { responseTimeoutMs } = this.#options;
    const now = this.#clock.monotonic();
    const expired = this.#outbox.expire(now - responseTimeoutMs);
    if (expired > 0) {
      if (this.#missed === 0) this.#missedSince = now;
      this.#missed += expired;
      this.#handlers.noticed('noResponse', { submits: expired });
      this.#unbindIfDrained();
    }
    // A new session may do better. The answers to this one are lost with it, so they have as long again.
    const isDeaf = this.#missed >= MOST_MISSED && now - this.#missedSince >= responseTimeoutMs;
    if (isDeaf) this.#end('submits are not answered');
    else if (!this.#heartbeat.beat()) this.#end('no answer to enquire_link');
  }

  #enquire(): number {
    const sequence = this.#outbox.nextSequence();
    this.#outbox.send({ command: 'enquireLink', status: 0, sequence });
    return sequence;
  }

  #unbindIfDrained(): void {
    if (this.#state === 'draining' && this.#outbox.isIdle && this.#unanswered === 0) this.#unbind();
  }

  #unbind(): void {
    this.#cancelTimer();
    this.#state = 'unbinding';
    this.giveBackWaiting();
    this.#cancelTimer = this.#clock.schedule(UNBIND_TIMEOUT_MS, () => this.#end('we closed the connection'));
    this.#outbox.send({ command: 'unbind', status: 0, sequence: this.#outbox.nextSequence() });
  }

  /** The one way to the end. `isOrderly`: what was written still goes out. */
  #end(reason: string, isOrderly = false, bindStatus?: number): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelTimer();
    this.#cancelSweep();
    // A peer that does not read would never let an orderly end come.
    if (isOrderly && !this.#outbox.isBlocked) this.#socket.end(() => this.#socket.destroy());
    else this.#socket.destroy();
    const unanswered = this.#outbox.close();
    this.#heartbeat.stop();
    this.#handlers.ended({ reason, unanswered, ...(bindStatus !== undefined && { bindStatus }) });
    for (const resolve of this.#leavers) resolve();
  }
}

/**
 * A light SMSC for the benchmark: reads every submit, takes it, and sends its receipt at once where one was asked for.
 * Prints its port, and answers a line "count" on standard input with how many submits it has taken.
 *
 * `smsc-server.ts tokenBucket 200 100 20` throttles: 200 a second, and 100 from 20 seconds after the first submit. A line
 * "figures" is then answered with what it has taken, refused and could have taken since the first submit.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { decodePdu } from '../src/carriers/smpp/decode.ts';
import { encodePdu } from '../src/carriers/smpp/encode.ts';
import { FrameReader } from '../src/carriers/smpp/frame-reader.ts';
import type { MessagePdu } from '../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../src/carriers/smpp/pdu-writer.ts';
import { STATUS } from '../src/carriers/smpp/statuses.ts';
import { calendarSecond, slidingWindow, tokenBucket } from '../test/harness/carrier-limits.ts';

const RECEIPT = 0x04;
const LIMITS = { tokenBucket, slidingWindow, calendarSecond };
const [kind, rate = 0, laterRate = rate, afterSeconds = 0] = process.argv.slice(2).map((word, index) => {
  return index === 0 ? word : Number(word);
});
const rateAt = (ms: number) => Number(ms < Number(afterSeconds) * 1000 ? rate : laterRate);
const limit = kind === undefined ? undefined : LIMITS[kind as keyof typeof LIMITS](rateAt);
let submits = 0;
let refused = 0;
let firstSubmitAt: number | undefined;

function isTaken(): boolean {
  const now = performance.now();
  firstSubmitAt ??= now;
  const taken = limit?.(now - firstSubmitAt) ?? true;
  if (taken) submits++;
  else refused++;
  return taken;
}

function figures(): string {
  const seconds = (performance.now() - (firstSubmitAt ?? performance.now())) / 1000;
  const before = Math.min(seconds, Number(afterSeconds));
  const possible = before * Number(rate) + (seconds - before) * Number(laterRate);
  return JSON.stringify({ seconds, taken: submits, refused, possible });
}

function serve(socket: Socket): void {
  const frames = new FrameReader();
  const writer = new PduWriter();
  let sequence = 0;
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', chunk => {
    frames.push(chunk, frame => answer(decodePdu(frame)));
    if (writer.length > 0) socket.write(writer.take());
  });

  function answer(pdu: ReturnType<typeof decodePdu>): void {
    switch (pdu.command) {
      case 'submitSm': {
        const isOk = isTaken();
        const messageId = isOk ? String(submits) : '';
        encodePdu(writer, {
          command: 'submitSmResp',
          status: isOk ? STATUS.ok : STATUS.throttled,
          sequence: pdu.sequence,
          messageId,
          tlvs: [],
        });
        if (isOk && pdu.registeredDelivery === 1) encodePdu(writer, receiptOf(pdu, messageId, ++sequence));
        break;
      }
      case 'bindTransceiver':
        encodePdu(writer, {
          command: 'bindTransceiverResp',
          status: 0,
          sequence: pdu.sequence,
          systemId: 'light',
          tlvs: [],
        });
        break;
      case 'enquireLink':
      case 'unbind':
        encodePdu(writer, { command: `${pdu.command}Resp`, status: 0, sequence: pdu.sequence });
        break;
    }
  }
}

function receiptOf(submit: MessagePdu, messageId: string, sequence: number): MessagePdu {
  const told = `id:${messageId} sub:001 dlvrd:001 submit date:2611151200 done date:2611151200 stat:DELIVRD err:000 text:`;
  return {
    ...submit,
    command: 'deliverSm',
    sequence,
    source: submit.destination,
    destination: submit.source,
    esmClass: RECEIPT,
    registeredDelivery: 0,
    validity: '',
    dataCoding: 0,
    shortMessage: Buffer.from(told, 'latin1'),
    tlvs: [],
  };
}

const server = createServer(serve).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  // The form that the benchmark looks for.
  process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
createInterface({ input: process.stdin }).on('line', line => {
  process.stdout.write(line === 'figures' ? `${figures()}\n` : `${submits}\n`);
});

/**
 * A light SMSC for the benchmark: reads every submit, takes it, and sends its receipt at once where one was asked for.
 * Prints its port, and answers a line "count" on standard input with how many submits it has taken.
 */
import { createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { decodePdu } from '../src/carriers/smpp/decode.ts';
import { encodePdu } from '../src/carriers/smpp/encode.ts';
import { FrameReader } from '../src/carriers/smpp/frame-reader.ts';
import type { MessagePdu } from '../src/carriers/smpp/pdu.ts';
import { PduWriter } from '../src/carriers/smpp/pdu-writer.ts';

const RECEIPT = 0x04;
let submits = 0;

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
        const messageId = String(++submits);
        encodePdu(writer, {
          command: 'submitSmResp',
          status: 0,
          sequence: pdu.sequence,
          messageId,
          tlvs: [],
        });
        if (pdu.registeredDelivery === 1) encodePdu(writer, receiptOf(pdu, messageId, ++sequence));
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
createInterface({ input: process.stdin }).on('line', () => process.stdout.write(`${submits}\n`));

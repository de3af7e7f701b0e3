/** The SMSC for load: it decodes each submit and answers, and keeps nothing. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { decodePdu } from '../../../src/carriers/smpp/decode.ts';
import { encodePdu } from '../../../src/carriers/smpp/encode.ts';
import { FrameReader } from '../../../src/carriers/smpp/frame-reader.ts';
import { PduWriter } from '../../../src/carriers/smpp/pdu-writer.ts';

export class LightSmsc {
  readonly #server: Server = createServer(socket => this.#serve(socket));
  #submits = 0;

  static async listen(): Promise<LightSmsc> {
    const smsc = new LightSmsc();
    smsc.#server.listen(0, '127.0.0.1');
    await once(smsc.#server, 'listening');
    return smsc;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #serve(socket: Socket): void {
    const frames = new FrameReader();
    const writer = new PduWriter();
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('data', chunk => {
      frames.push(chunk, frame => this.#answer(decodePdu(frame), writer));
      if (writer.length > 0) socket.write(writer.take());
    });
  }

  #answer(pdu: ReturnType<typeof decodePdu>, writer: PduWriter): void {
    const { sequence } = pdu;
    switch (pdu.command) {
      case 'submitSm':
        encodePdu(writer, {
          command: 'submitSmResp',
          status: 0,
          sequence,
          messageId: String(++this.#submits),
          tlvs: [],
        });
        break;
      case 'bindTransceiver':
        encodePdu(writer, {
          command: 'bindTransceiverResp',
          status: 0,
          sequence,
          systemId: 'light',
          tlvs: [],
        });
        break;
      case 'enquireLink':
      case 'unbind':
        encodePdu(writer, { command: `${pdu.command}Resp`, status: 0, sequence });
        break;
    }
  }
}

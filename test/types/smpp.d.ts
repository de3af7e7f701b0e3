/** The part of npm smpp that the tests use; the package has no types of its own. */
declare module 'smpp' {
  import type { Server } from 'node:net';

  export interface SmppPdu {
    readonly command: string;
    readonly sequence_number: number;
    readonly system_id: string;
    readonly source_addr: string;
    readonly destination_addr: string;
    readonly data_coding: number;
    readonly esm_class: number;
    readonly short_message: { readonly message: string | Buffer; readonly udh?: readonly Buffer[] };
    readonly message_payload?: { readonly message: string | Buffer };
    readonly command_status: number;
    response(fields?: Readonly<Record<string, unknown>>): SmppPdu;
  }
  export interface SmppSession {
    on(event: string, listener: (pdu: SmppPdu) => void): void;
    send(pdu: SmppPdu): boolean;
    deliver_sm(fields: Readonly<Record<string, unknown>>, answered: (pdu: SmppPdu) => void): boolean;
    destroy(): void;
  }
  const smpp: {
    createServer(connected: (session: SmppSession) => void): Server;
  };
  export default smpp;
}

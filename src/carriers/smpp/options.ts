/** How a carrier speaks SMPP with its SMSC; the keys of bongsu.yaml in the form the code uses. */
import type { DefaultAlphabet } from './alphabets.ts';
import type { MessageIds, ReceiptIds } from './message-ids.ts';
import type { ReceiptsBy } from './receipt.ts';
import type { LongMessages } from './text-parts.ts';

export interface SmppOptions {
  readonly host: string;
  readonly port: number;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly bind: 'transceiver' | 'pair';
  readonly interfaceVersion: '3.3' | '3.4' | '5.0';
  readonly addressRange: string;
  readonly tls: boolean;
  /** Paths of PEM files. */
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly servername: string | undefined;
  readonly window: number;
  readonly rate: number;
  readonly receiptsOf: readonly string[];
  readonly responseTimeout: number;
  readonly bindTimeout: number;
  readonly enquireLink: number;
  readonly dataCoding0: DefaultAlphabet;
  readonly korean: 'ucs2' | 'cp949';
  readonly cp949DataCoding: number;
  readonly longMessages: LongMessages;
  readonly serviceType: string;
  readonly sourceTon: number | undefined;
  readonly sourceNpi: number | undefined;
  readonly destTon: number | undefined;
  readonly destNpi: number | undefined;
  readonly esmClass: number;
  readonly protocolId: number;
  readonly priority: number;
  readonly registeredDelivery: number;
  readonly validity: number | undefined;
  readonly submitFailed: 'permanent' | 'temporary';
  readonly messageIds: MessageIds;
  readonly receipts: ReceiptsBy;
  readonly receiptIds: ReceiptIds;
}

/** The bits of registered_delivery that ask for receipts; 1: for every outcome. */
const RECEIPTS_ASKED = 3;
const EVERY_RECEIPT = 1;

type Registered = Pick<SmppOptions, 'registeredDelivery'>;

export function asksForReceipts({ registeredDelivery }: Registered): boolean {
  return (registeredDelivery & RECEIPTS_ASKED) !== 0;
}

export function asksForEveryReceipt({ registeredDelivery }: Registered): boolean {
  return (registeredDelivery & RECEIPTS_ASKED) === EVERY_RECEIPT;
}

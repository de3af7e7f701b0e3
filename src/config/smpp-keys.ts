import { optional, required, type ValuesOf, withDefault } from './file-key.ts';
import { duration, flag, listOf, oneOf, text, wholeNumber } from './kinds.ts';

/** Printable ASCII, as C-octet strings of SMPP hold it. */
function word(longest: number) {
  return text(`up to ${longest} ASCII characters`, new RegExp(`^[\\x20-\\x7e]{0,${longest}}$`));
}

/** `kind: smpp`: an SMSC, as its ESME. */
export const SMPP_KEYS = {
  host: required(text('a host name or address', /^[^\s/]{1,253}$/), 'Host of the SMSC.'),
  port: withDefault(wholeNumber(1, 65_535), 2775, 'Port of the SMSC.'),
  systemId: required(word(63), 'Our user name at the SMSC. The standard allows 15 characters.'),
  password: withDefault(word(64), '', 'Password. The standard allows 8 characters.', 'none'),
  systemType: withDefault(word(12), '', 'System type, if the SMSC requires one.', 'none'),
  bind: withDefault(
    oneOf(['transceiver', 'pair']),
    'transceiver',
    'One session for both directions, or a transmitter and a receiver.',
  ),
  interfaceVersion: withDefault(oneOf(['3.3', '3.4', '5.0']), '3.4', 'Protocol version in the bind.'),
  addressRange: withDefault(
    word(40),
    '',
    'Addresses served by this bind, if the SMSC requires them.',
    'none',
  ),
  tls: withDefault(flag, false, 'Encrypted connection; the certificate of the SMSC is checked.'),
  ca: optional(text('a path'), 'PEM file of the authority that signed the certificate of the SMSC.'),
  cert: optional(text('a path'), 'PEM file of our own certificate.'),
  key: optional(text('a path'), 'PEM file of its key.'),
  servername: optional(text('a host name'), 'Name in the certificate, if it is not the host.'),
  window: withDefault(wholeNumber(1, 10_000), 10, 'Submits that may be unanswered at a time.'),
  rate: withDefault(wholeNumber(0, 100_000), 0, 'Parts per second; 0 means no limit.'),
  responseTimeout: withDefault(
    duration('1s', '1d'),
    60_000,
    'Time after which an unanswered submit counts as unknown.',
    '60s',
  ),
  bindTimeout: withDefault(duration('1s', '1d'), 30_000, 'Time limit to connect and bind.', '30s'),
  enquireLink: withDefault(
    duration('1s', '1d'),
    30_000,
    'Time without traffic after which the SMSC gets an enquire_link; it has the same time to answer.',
    '30s',
  ),
  dataCoding0: withDefault(
    oneOf(['gsm', 'latin1', 'ascii', 'ks']),
    'gsm',
    'Alphabet that the SMSC uses for data_coding 0.',
  ),
  korean: withDefault(
    oneOf(['ucs2', 'cp949']),
    'ucs2',
    'Encoding of Korean text that we send: UCS-2 as data_coding 8, or CP949.',
  ),
  cp949DataCoding: withDefault(
    wholeNumber(1, 255),
    14,
    'data_coding of CP949 at the SMSC, in both directions, such as 0x84. 14 is always read as CP949.',
  ),
  longMessages: withDefault(
    oneOf(['udh', 'sar', 'payload']),
    'udh',
    'How a text of several parts is sent: parts with a header, parts with SAR parameters, or whole in message_payload.',
  ),
  serviceType: withDefault(word(5), '', 'Service type of every submit.', 'none'),
  sourceTon: optional(wholeNumber(0, 6), 'Type of number of every sender, instead of the default rules.'),
  sourceNpi: optional(wholeNumber(0, 18), 'Numbering plan of every sender, instead of the default rules.'),
  destTon: optional(wholeNumber(0, 6), 'Type of number of every recipient, instead of the default rules.'),
  destNpi: optional(wholeNumber(0, 18), 'Numbering plan of every recipient, instead of the default rules.'),
  esmClass: withDefault(wholeNumber(0, 3), 0, 'Message mode in esm_class; 3 is store and forward.'),
  protocolId: withDefault(wholeNumber(0, 255), 0, 'Protocol id of every submit.'),
  priority: withDefault(wholeNumber(0, 3), 0, 'Priority of every submit.'),
  registeredDelivery: withDefault(
    wholeNumber(0, 31),
    1,
    'Requested receipts: 1 for every outcome, 2 for failures, 0 for none.',
  ),
  validity: optional(
    duration('1s', '365d'),
    'How long the SMSC may try to deliver. Without it: the SMSC decides.',
  ),
  submitFailed: withDefault(
    oneOf(['permanent', 'temporary']),
    'permanent',
    'Meaning of status 0x45 (submit failed) at this SMSC.',
  ),
  messageIds: withDefault(
    oneOf(['tolerant', 'exact']),
    'tolerant',
    'Whether case and leading zeros of message ids are ignored.',
  ),
  receipts: withDefault(
    oneOf(['marked', 'text']),
    'marked',
    'What is a receipt: only what the SMSC marks as one, or also an unmarked text with `id:` and `stat:`, which any handset can send.',
  ),
  receiptIds: withDefault(
    oneOf(['same', 'hexToDecimal', 'decimalToHex', 'auto']),
    'same',
    'How to convert the ids of receipts, if they use another number base than answers. auto learns it.',
  ),
  receiptsOf: withDefault(
    listOf('carriers'),
    [],
    'Carriers whose receipts may come by this one, such as its former names.',
    'none',
  ),
} as const;

/** Combinations that are wrong although each key is right. */
export function smppProblems(values: ValuesOf<typeof SMPP_KEYS>): string[] {
  const { window, rate, responseTimeout, cert, key, interfaceVersion, longMessages } = values;
  const problems: string[] = [];
  const drainMs = rate > 0 ? (window / rate) * 1000 : 0;
  if (responseTimeout < drainMs) {
    problems.push(
      `responseTimeout: a window of ${window} at a rate of ${rate} takes ${Math.ceil(drainMs / 1000)}s; a shorter timeout would give up on messages that are still being accepted`,
    );
  }
  if (interfaceVersion === '3.3' && longMessages !== 'udh') {
    problems.push('longMessages: SMPP 3.3 has no optional parameters; expected udh');
  }
  if (values.cp949DataCoding === 8) problems.push('cp949DataCoding: 8 is UCS-2');
  if ((cert === undefined) !== (key === undefined)) problems.push('cert, key: expected both or neither');
  return problems;
}

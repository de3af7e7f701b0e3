import {
  duration,
  flag,
  integer,
  oneOf,
  optional,
  required,
  text,
  type ValuesOf,
  withDefault,
} from './file-key.ts';

/** Printable ASCII, as C-octet strings of SMPP hold it. */
function word(longest: number, meaning: string) {
  return text(`up to ${longest} ASCII characters`, meaning, new RegExp(`^[\\x20-\\x7e]{0,${longest}}$`));
}

/** `kind: smpp`: an SMSC, as its ESME. */
export const SMPP_KEYS = {
  host: required(text('a host name or address', 'Host of the SMSC.', /^[^\s/]{1,253}$/)),
  port: withDefault(integer(1, 65_535, 'Port of the SMSC.'), 2775),
  systemId: required(word(63, 'Our name at the SMSC. The standard allows 15 characters.')),
  password: withDefault(word(64, 'Password. The standard allows 8 characters.'), '', 'none'),
  systemType: withDefault(word(12, 'Type of our system, where the SMSC asks for one.'), '', 'none'),
  bind: withDefault(
    oneOf(['transceiver', 'pair'], 'One session both ways, or a transmitter and a receiver.'),
    'transceiver',
  ),
  interfaceVersion: withDefault(oneOf(['3.3', '3.4', '5.0'], 'Version named in the bind.'), '3.4'),
  addressRange: withDefault(word(40, 'Addresses served by this bind, where the SMSC asks.'), '', 'none'),
  tls: withDefault(flag('Encrypted, with the certificate of the SMSC checked.'), false),
  ca: optional(text('a path', 'PEM file of the authority that signed the certificate of the SMSC.')),
  cert: optional(text('a path', 'PEM file of our own certificate.')),
  key: optional(text('a path', 'PEM file of its key.')),
  servername: optional(text('a host name', 'Name in the certificate, where it is not the host.')),
  window: withDefault(integer(1, 10_000, 'Submits without an answer at a time.'), 10),
  rate: withDefault(integer(0, 100_000, 'Parts a second; 0 means no limit.'), 0),
  responseTimeout: withDefault(
    duration('Silence after a submit, after which its outcome counts as unknown.'),
    60_000,
    '60s',
  ),
  bindTimeout: withDefault(duration('Time to connect and bind.'), 30_000, '30s'),
  enquireLink: withDefault(
    duration('Silence after which the SMSC is asked for a sign of life; it has as long again to answer.'),
    30_000,
    '30s',
  ),
  dataCoding0: withDefault(
    oneOf(['gsm', 'latin1', 'ascii', 'ks'], 'Alphabet that the SMSC means by data_coding 0.'),
    'gsm',
  ),
  korean: withDefault(
    oneOf(['ucs2', 'cp949'], 'What Korean text is sent in: data_coding 8, or CP949 as data_coding 14.'),
    'ucs2',
  ),
  longMessages: withDefault(
    oneOf(
      ['udh', 'sar', 'payload'],
      'How a text of several parts is sent: parts with a header, parts with SAR parameters, or whole in message_payload.',
    ),
    'udh',
  ),
  serviceType: withDefault(word(5, 'Service type of every submit.'), '', 'none'),
  sourceTon: optional(integer(0, 6, 'Type of number of every sender, in place of the rules.')),
  sourceNpi: optional(integer(0, 18, 'Numbering plan of every sender, in place of the rules.')),
  destTon: optional(integer(0, 6, 'Type of number of every recipient, in place of the rules.')),
  destNpi: optional(integer(0, 18, 'Numbering plan of every recipient, in place of the rules.')),
  esmClass: withDefault(integer(0, 3, 'Message mode in esm_class; 3 is store and forward.'), 0),
  protocolId: withDefault(integer(0, 255, 'Protocol id of every submit.'), 0),
  priority: withDefault(integer(0, 3, 'Priority of every submit.'), 0),
  registeredDelivery: withDefault(
    integer(0, 31, 'Receipts asked for: 1 for every outcome, 2 for failures, 0 for none.'),
    1,
  ),
  validity: optional(duration('How long the SMSC may try to deliver. Without it: as the SMSC likes.')),
  submitFailed: withDefault(
    oneOf(['permanent', 'temporary'], 'What the SMSC means by status 0x45, submit failed.'),
    'permanent',
  ),
  messageIds: withDefault(
    oneOf(['tolerant', 'exact'], 'Whether case and leading zeros of message ids are ignored.'),
    'tolerant',
  ),
  receiptIds: withDefault(
    oneOf(
      ['same', 'hexToDecimal', 'decimalToHex', 'auto'],
      'Where receipts write ids in another base than answers: theirs, to that of the answers. auto learns it.',
    ),
    'same',
  ),
} as const;

/** What each key allows and both together do not. */
export function smppProblems(values: ValuesOf<typeof SMPP_KEYS>): string[] {
  const { window, rate, responseTimeout, cert, key, interfaceVersion, longMessages } = values;
  const problems: string[] = [];
  const drainMs = rate > 0 ? (window / rate) * 1000 : 0;
  if (responseTimeout < drainMs) {
    problems.push(
      `responseTimeout: a window of ${window} at a rate of ${rate} takes ${Math.ceil(drainMs / 1000)}s; a shorter timeout gives up on messages that are still being taken`,
    );
  }
  if (interfaceVersion === '3.3' && longMessages !== 'udh') {
    problems.push('longMessages: SMPP 3.3 has no optional parameters; expected udh');
  }
  if ((cert === undefined) !== (key === undefined)) problems.push('cert, key: expected both or neither');
  return problems;
}

/** `kind: omni`: another service that speaks the contract of this one. docs/upstream.md shows how to start. */
import { optional, required, section, withDefault } from './file-key.ts';
import { duration, flag, listOf, text, wholeNumber } from './kinds.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;

const BREAKER_KEYS = {
  failures: withDefault(
    wholeNumber(1, 1000),
    5,
    'Number of faults of the service that stop sending, if they are at least half of the calls.',
  ),
  pause: withDefault(
    duration('1ms', '1d'),
    5 * SECOND_MS,
    'First pause; each further pause is twice as long.',
    '5s',
  ),
  longestPause: withDefault(duration('1ms', '1d'), 300 * SECOND_MS, 'Longest pause.', '5m'),
} as const;

export const OMNI_KEYS = {
  url: required(
    text('an http(s) URL without parameters', /^https?:\/\/[^\s?#@]+$/),
    'Address of the service, without `/v1`.',
  ),
  account: required(text('an account id', /^[\x21-\x7e]{1,100}$/), 'Our account there.'),
  password: required(
    text('ASCII without blanks around it', /^[\x21-\x7e]([\x20-\x7e]{0,198}[\x21-\x7e])?$/),
    'Its password.',
  ),
  headerPrefix: withDefault(
    text('letters, digits and dashes', /^[A-Za-z0-9-]{1,40}$/),
    'SVC',
    'The service reads `X-<prefix>-Client-Id` and `X-<prefix>-Client-Passwd`.',
  ),
  channels: optional(listOf('channels'), 'Channels that it carries. Without it: all of them.'),
  window: withDefault(wholeNumber(1, 10_000), 100, 'Number of messages that wait for an answer at a time.'),
  rate: withDefault(wholeNumber(0, 100_000), 0, 'Messages per second; 0 means no limit.'),
  receiptsOf: withDefault(
    listOf('carriers'),
    [],
    'Carriers whose receipts may come by this one, such as its former names.',
    'none',
  ),
  gather: withDefault(
    wholeNumber(1, 10),
    10,
    'Messages with the same content in one call, if the service returns the reference of each recipient; 1 turns it off.',
  ),
  repeatable: withDefault(
    flag,
    false,
    'The service honours Idempotency-Key, as this gateway does: a send without an answer is repeated with the same key. Nothing is gathered then.',
  ),
  repeatableFor: withDefault(duration('1s', '365d'), 24 * HOUR_MS, 'How long it remembers a key.', '24h'),
  timeout: withDefault(duration('100ms', '1d'), 30 * SECOND_MS, 'Time limit for a whole call.', '30s'),
  interval: withDefault(duration('10ms', '1d'), SECOND_MS, 'Pause after reports were fetched.', '1s'),
  idleInterval: withDefault(duration('10ms', '1d'), 3 * SECOND_MS, 'Pause after there were none.', '3s'),
  allowPrivate: withDefault(flag, false, 'Allows a service at a private address.'),
  ca: optional(text('PEM'), "Certificates to trust besides the system's."),
  breaker: withDefault(
    section(BREAKER_KEYS),
    { failures: 5, pause: 5 * SECOND_MS, longestPause: 300 * SECOND_MS },
    'Circuit breaker: when sending pauses after faults.',
    '',
  ),
} as const;

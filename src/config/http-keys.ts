/** `kind: http`: a provider with an HTTP API. docs/carriers-http.md has examples. */
import { mapOf, optional, required, section, sections, withDefault } from './file-key.ts';
import {
  anything,
  duration,
  flag,
  listOf,
  listOrOne,
  mapOfText,
  oneOf,
  regularExpression,
  text,
  wholeNumber,
} from './kinds.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A request, as templates. */
const REQUEST_KEYS = {
  method: optional(oneOf(['GET', 'POST', 'PUT', 'DELETE']), 'HTTP method.'),
  url: optional(text('an http(s) URL'), 'Address; values of placeholders are percent-encoded.'),
  query: optional(mapOfText, 'Parameters after the address.'),
  headers: optional(mapOfText, 'Headers.'),
  json: optional(anything('any structure'), 'Body as JSON.'),
  form: optional(mapOfText, 'Body as a form (urlencoded).'),
} as const;

const pointer = text('a JSON pointer such as /data/id', /^(\/.{0,200})?$/);

const secrets = required(
  listOf('one or two secrets'),
  'Secrets, `whsec_` and base64 or any text; two during a rotation.',
);

const TOKEN_KEYS = {
  ...REQUEST_KEYS,
  token: required(pointer, 'Where the token is in the answer.'),
  expires: optional(pointer, 'Where its lifetime in seconds is.'),
  lifetime: withDefault(
    duration('1s', '365d'),
    HOUR_MS,
    'Its lifetime where the answer does not give one.',
    '1h',
  ),
  header: withDefault(text('a header'), 'authorization', 'Header it is sent in.'),
  value: withDefault(text('a template'), 'Bearer {{token}}', 'Value of that header.'),
} as const;

const AUTH_KEYS = {
  basic: optional(
    section({
      user: required(text('a name'), 'User.'),
      password: required(text('a password'), 'Password.'),
    }),
    'HTTP Basic; together with `token` it is used for the token request only.',
  ),
  token: optional(
    section(TOKEN_KEYS),
    'A token is fetched with this request, kept, and renewed before it expires and after a 401.',
  ),
  hmac: optional(section({ secrets }), 'Signs requests as Standard Webhooks does.'),
} as const;

const OUTCOME_KEYS = {
  status: optional(
    listOrOne('statuses such as 202 or 2xx', /^([1-5]xx|[1-5]\d\d)$/),
    'Status of the answer; what `4xx` covers is in docs/carriers-http.md.',
  ),
  pointer: optional(pointer, 'Value that the JSON of the answer must contain.'),
  equals: optional(listOrOne('texts'), 'Values that it may have.'),
  matches: optional(regularExpression, 'Pattern for that value; without pointer, for the whole body.'),
  result: required(oneOf(['accepted', 'permanent', 'temporary', 'unknown']), 'What the answer means.'),
  id: optional(pointer, "The provider's reference. An accepted message without it counts as unknown."),
  idMatches: optional(
    regularExpression,
    "Pattern on the body whose first group is the provider's reference.",
  ),
  reportCode: optional(text('a report code'), 'Our report code for the failure.'),
  code: optional(pointer, "The provider's code, which reportCodes maps to ours."),
  says: optional(pointer, "The provider's words, shown to operators. Without it: code."),
  retryAfter: optional(pointer, 'Seconds to wait. Without it: the header Retry-After.'),
  carriersFault: withDefault(
    flag,
    false,
    "temporary only: the problem is the provider's, not the message's; no attempt is counted.",
  ),
} as const;

const RECEIPT_KEYS = {
  id: optional(pointer, "The provider's reference."),
  attemptId: optional(pointer, 'Our attempt id, if the provider returns it.'),
  status: required(pointer, 'The status.'),
  statuses: required(
    mapOfText,
    'Status: delivered, failed, intermediate or a report code. `*` matches any other status.',
  ),
  code: optional(pointer, "The provider's code for a failure, which reportCodes maps to ours."),
  reportCode: withDefault(text('a report code'), '99999', 'Our code of a failure that is not in the tables.'),
  network: optional(pointer, 'Code of the mobile network.'),
  to: optional(pointer, 'The recipient.'),
  from: optional(pointer, 'The sender. With the recipient it finds a message whose reference was lost.'),
  userType: optional(pointer, 'Brand message: F is a friend of the channel, N is not.'),
} as const;

const REPLY_KEYS = {
  status: withDefault(wholeNumber(200, 299), 200, 'Status.'),
  json: optional(anything('any structure'), 'Body as JSON.'),
  text: optional(text('a text'), 'Body as text.'),
} as const;

const CALLBACK_KEYS = {
  hmac: optional(section({ secrets }), 'Callbacks are signed as in Standard Webhooks.'),
  token: optional(
    section({
      header: optional(text('a header'), 'Header that holds the token.'),
      query: optional(text('a name'), 'Parameter that holds the token.'),
      value: required(text('a token'), 'The token.'),
    }),
    'Callbacks carry a token that both sides know.',
  ),
  addresses: optional(listOf('addresses or ranges such as 192.0.2.0/24'), 'Where callbacks may come from.'),
  urlSecret: optional(
    text('at least 16 characters', /^.{16,1000}$/s),
    'Signs the addresses of `{{callbackUrl}}`.',
  ),
  publicUrl: optional(
    text('a URL'),
    'Address at which the provider reaches this gateway. Without it: BONGSU_PUBLIC_URL.',
  ),
  list: optional(pointer, 'Where the receipts are; without it the body is one receipt, or a list of them.'),
  reply: optional(section(REPLY_KEYS), 'Answer to a callback whose receipts are settled.'),
} as const;

const { urlSecret: _u, publicUrl: _p, list: _l, reply: _r, ...CHECK_KEYS } = CALLBACK_KEYS;

const INBOUND_KEYS = {
  ...CHECK_KEYS,
  list: optional(pointer, 'Where the messages are; without it the body is one message, or a list of them.'),
  reply: optional(section(REPLY_KEYS), 'Answer to a call whose messages are stored.'),
  id: required(pointer, "The provider's id of the message. The same id again is the same message."),
  from: required(pointer, 'The sender.'),
  to: required(pointer, 'The number that was written to.'),
  text: required(pointer, 'The text.'),
} as const;

const POLLING_KEYS = {
  ...REQUEST_KEYS,
  interval: withDefault(
    duration('10ms', '1d'),
    SECOND_MS,
    'Pause after a fetch that returned receipts.',
    '1s',
  ),
  idleInterval: withDefault(
    duration('10ms', '1d'),
    10 * SECOND_MS,
    'Pause after a fetch that returned none.',
    '10s',
  ),
  list: required(pointer, 'Where the receipts are in the answer.'),
  batch: optional(pointer, 'Where the key of the batch is, for `{{batch}}`.'),
  ok: optional(
    section({
      pointer: required(pointer, 'Value that the JSON of the answer must contain.'),
      equals: required(listOrOne('texts'), 'Values that it may have.'),
    }),
    'When an answer to a fetch or an acknowledgement with status 2xx is a success. Then a fetch may also leave out an empty list.',
  ),
  acknowledge: optional(
    section(REQUEST_KEYS),
    'Request to send after the receipts are settled; may use `{{batch}}` and `{{ids}}`.',
  ),
} as const;

const MEDIA_KEYS = {
  ...REQUEST_KEYS,
  multipart: optional(mapOfText, 'Body as multipart form data; the part `{{file}}` holds the bytes.'),
  id: required(pointer, "Where the provider's id of the file is."),
  reference: withDefault(
    text('a template'),
    '{{id}}',
    'What replaces our reference to the file in the message.',
  ),
  lifetime: withDefault(duration('1s', '365d'), 24 * HOUR_MS, 'How long the provider keeps a file.', '24h'),
} as const;

const BREAKER_KEYS = {
  failures: withDefault(
    wholeNumber(1, 1000),
    5,
    'Number of faults of the provider that stop sending, if they are at least half of the calls.',
  ),
  pause: withDefault(
    duration('1ms', '1d'),
    5 * SECOND_MS,
    'First pause; each further pause is twice as long.',
    '5s',
  ),
  longestPause: withDefault(duration('1ms', '1d'), 5 * MINUTE_MS, 'Longest pause.', '5m'),
} as const;

export const HTTP_KEYS = {
  submit: required(section(REQUEST_KEYS), 'The request that sends a message.'),
  channels: required(
    mapOf(REQUEST_KEYS, 'a map by channel'),
    'Channels that it carries, each with what differs from submit: `sms: {}`.',
  ),
  auth: optional(section(AUTH_KEYS), 'How we authenticate, besides headers and parameters.'),
  outcomes: required(
    sections(OUTCOME_KEYS),
    'What an answer means: the first rule that matches. If none matches: unknown.',
  ),
  reportCodes: withDefault(mapOfText, {}, "The provider's codes and ours.", ''),
  idempotencyHeader: optional(text('a header'), 'Header that holds the attempt id.'),
  repeatable: withDefault(
    flag,
    false,
    'The provider sends an attempt id only once: a submit with an unknown outcome may be repeated.',
  ),
  repeatableFor: withDefault(
    duration('1s', '365d'),
    24 * 60 * MINUTE_MS,
    'How long the provider remembers an attempt id. After that nothing is repeated.',
    '24h',
  ),
  receipt: optional(section(RECEIPT_KEYS), 'How to read a receipt.'),
  callback: optional(
    section(CALLBACK_KEYS),
    'Receipts arrive at `/carriers/NAME/receipts`. At least one check is required.',
  ),
  inbound: optional(
    section(INBOUND_KEYS),
    'Messages of people arrive at `/carriers/NAME/inbound`. At least one check is required.',
  ),
  polling: optional(section(POLLING_KEYS), 'Receipts are fetched.'),
  media: optional(section(MEDIA_KEYS), 'Files are uploaded to the provider before the message is sent.'),
  window: withDefault(wholeNumber(1, 10_000), 50, 'Number of calls at the same time.'),
  rate: withDefault(wholeNumber(0, 100_000), 0, 'Messages per second; 0 means no limit.'),
  receiptsOf: withDefault(
    listOf('carriers'),
    [],
    'Carriers whose receipts may come by this one, such as its former names.',
    'none',
  ),
  timeout: withDefault(duration('100ms', '1d'), 30 * SECOND_MS, 'Time limit for a whole call.', '30s'),
  maxAnswerBytes: withDefault(
    wholeNumber(100, 10_000_000),
    262_144,
    'Longest answer that is read, in bytes.',
  ),
  allowPrivate: withDefault(flag, false, 'Allows a provider at a private address.'),
  ca: optional(text('PEM'), "Certificates to trust besides the system's."),
  breaker: withDefault(
    section(BREAKER_KEYS),
    { failures: 5, pause: 5 * SECOND_MS, longestPause: 5 * MINUTE_MS },
    'Circuit breaker: when sending pauses after faults.',
    '',
  ),
  test: optional(section(REQUEST_KEYS), 'Request that tests the provider; an answer 2xx means it works.'),
} as const;

/** `kind: http`: a provider with an HTTP API. docs/carriers-http.md has examples. */
import {
  anything,
  duration,
  flag,
  integer,
  listOf,
  listOrOne,
  mapOf,
  mapOfText,
  oneOf,
  optional,
  regularExpression,
  required,
  section,
  sections,
  text,
  withDefault,
} from './file-key.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** A request, as templates. */
const REQUEST_KEYS = {
  method: optional(oneOf(['GET', 'POST', 'PUT', 'DELETE'], 'HTTP method.')),
  url: optional(text('an http(s) URL', 'Address; values of placeholders are percent-encoded.')),
  query: optional(mapOfText('Parameters after the address.')),
  headers: optional(mapOfText('Headers.')),
  json: optional(anything('any structure', 'Body as JSON.')),
  form: optional(mapOfText('Body as a form (urlencoded).')),
} as const;

const pointer = (meaning: string) => text('a JSON pointer such as /data/id', meaning, /^(\/.{0,200})?$/);

const secrets = listOf(
  'one or two secrets',
  'Secrets, `whsec_` and base64 or any text; two while one is replaced.',
);

const TOKEN_KEYS = {
  ...REQUEST_KEYS,
  token: required(pointer('Where the token stands in the answer.')),
  expires: optional(pointer('Where the seconds of its life stand.')),
  lifetime: withDefault(duration('Its life where the answer does not tell.'), HOUR_MS, '1h'),
  header: withDefault(text('a header', 'Header it is sent in.'), 'authorization'),
  value: withDefault(text('a template', 'Value of that header.'), 'Bearer {{token}}'),
} as const;

const AUTH_KEYS = {
  basic: optional(
    section(
      {
        user: required(text('a name', 'User.')),
        password: required(text('a password', 'Password.')),
      },
      'HTTP Basic; beside `token` it is for the token request only.',
    ),
  ),
  token: optional(
    section(
      TOKEN_KEYS,
      'A token is fetched with this request, kept, and renewed before it expires and after a 401.',
    ),
  ),
  hmac: optional(
    section({ secrets: required(secrets) }, 'Signs requests in the manner of Standard Webhooks.'),
  ),
} as const;

const OUTCOME_KEYS = {
  status: optional(
    listOrOne('statuses such as 202 or 2xx', 'Status of the answer.', /^([1-5]xx|[1-5]\d\d)$/),
  ),
  pointer: optional(pointer('Value in the JSON of the answer that must be there.')),
  equals: optional(listOrOne('texts', 'Values it may have.')),
  matches: optional(regularExpression('Pattern of that value; without pointer, of the whole body.')),
  result: required(oneOf(['accepted', 'permanent', 'temporary', 'unknown'], 'What the answer means.')),
  id: optional(pointer("The provider's reference. An accepted message without it counts as unknown.")),
  idMatches: optional(
    regularExpression("Pattern on the body whose first group is the provider's reference."),
  ),
  reportCode: optional(text('a report code', 'Our code of the failure.')),
  code: optional(pointer("The provider's code, which reportCodes turns into ours.")),
  retryAfter: optional(pointer('Seconds to wait; without it the header Retry-After.')),
  carriersFault: withDefault(
    flag("temporary only: the provider's trouble, not the message's; no attempt is counted."),
    false,
  ),
} as const;

const RECEIPT_KEYS = {
  id: optional(pointer("The provider's reference.")),
  attemptId: optional(pointer('Our attempt id, where the provider gives it back.')),
  status: required(pointer('The status.')),
  statuses: required(
    mapOfText('Status: delivered, failed, intermediate or a report code. `*` is any other status.'),
  ),
  code: optional(pointer("The provider's code of a failure, which reportCodes turns into ours.")),
  reportCode: withDefault(
    text('a report code', 'Our code of a failure that the tables do not tell.'),
    '99999',
  ),
  network: optional(pointer('Code of the mobile network.')),
  to: optional(pointer('The recipient.')),
  from: optional(pointer('The sender. With the recipient it finds a message whose reference was lost.')),
  userType: optional(pointer('Brand message: F a channel friend, N not one.')),
} as const;

const CALLBACK_KEYS = {
  hmac: optional(
    section({ secrets: required(secrets) }, 'Callbacks are signed in the manner of Standard Webhooks.'),
  ),
  token: optional(
    section(
      {
        header: optional(text('a header', 'Header that holds the token.')),
        query: optional(text('a name', 'Parameter that holds the token.')),
        value: required(text('a token', 'The token.')),
      },
      'Callbacks have a token that both sides know.',
    ),
  ),
  addresses: optional(listOf('addresses or ranges such as 192.0.2.0/24', 'Where callbacks may come from.')),
  urlSecret: optional(
    text('at least 16 characters', 'Signs the addresses of `{{callbackUrl}}`.', /^.{16,1000}$/s),
  ),
  publicUrl: optional(
    text('a URL', 'Where the provider reaches this gateway. Without it: BONGSU_PUBLIC_URL.'),
  ),
  list: optional(pointer('Where the receipts stand; without it the body is one receipt, or a list of them.')),
  reply: optional(
    section(
      {
        status: withDefault(integer(200, 299, 'Status.'), 200),
        json: optional(anything('any structure', 'Body as JSON.')),
        text: optional(text('a text', 'Body as text.')),
      },
      'Answer to a callback whose receipts are settled.',
    ),
  ),
} as const;

const POLLING_KEYS = {
  ...REQUEST_KEYS,
  interval: withDefault(duration('Pause after a fetch that brought receipts.'), SECOND_MS, '1s'),
  idleInterval: withDefault(duration('Pause after one that brought none.'), 10 * SECOND_MS, '10s'),
  list: required(pointer('Where the receipts stand in the answer.')),
  batch: optional(pointer('Where the key of the batch stands, for `{{batch}}`.')),
  acknowledge: optional(
    section(REQUEST_KEYS, 'Request after the receipts are settled; `{{batch}}` and `{{ids}}`.'),
  ),
} as const;

const MEDIA_KEYS = {
  ...REQUEST_KEYS,
  multipart: optional(mapOfText('Body as a form of several parts; the part `{{file}}` holds the bytes.')),
  id: required(pointer("Where the provider's id of the file stands.")),
  reference: withDefault(
    text('a template', 'What stands in the message in the place of our reference to the file.'),
    '{{id}}',
  ),
  lifetime: withDefault(duration('How long the provider keeps a file.'), 24 * HOUR_MS, '24h'),
} as const;

const BREAKER_KEYS = {
  failures: withDefault(integer(1, 1000, "Failures of the provider's own in a row that stop sending."), 5),
  pause: withDefault(duration('First pause; each one after it is twice as long.'), 5 * SECOND_MS, '5s'),
  longestPause: withDefault(duration('Longest pause.'), 5 * MINUTE_MS, '5m'),
} as const;

export const HTTP_KEYS = {
  submit: required(section(REQUEST_KEYS, 'The request that sends a message.')),
  channels: required(
    mapOf(
      REQUEST_KEYS,
      'a map by channel',
      'Channels it carries, each with what differs from submit: `sms: {}`.',
    ),
  ),
  auth: optional(section(AUTH_KEYS, 'How we prove who we are, besides headers and parameters.')),
  outcomes: required(
    sections(OUTCOME_KEYS, 'What an answer means: the first rule that matches. Without one: unknown.'),
  ),
  reportCodes: withDefault(mapOfText("The provider's codes and ours."), {}, ''),
  idempotencyHeader: optional(text('a header', 'Header that holds the attempt id.')),
  repeatable: withDefault(
    flag('The provider sends an attempt id once, however often it comes: a submit in doubt may be repeated.'),
    false,
  ),
  repeatableFor: withDefault(
    duration('How long the provider remembers an attempt id. After that nothing is repeated.'),
    24 * 60 * MINUTE_MS,
    '24h',
  ),
  receipt: optional(section(RECEIPT_KEYS, 'How to read a receipt.')),
  callback: optional(
    section(CALLBACK_KEYS, 'Receipts come to `/carriers/NAME/receipts`. One check is needed.'),
  ),
  polling: optional(section(POLLING_KEYS, 'Receipts are fetched.')),
  media: optional(section(MEDIA_KEYS, 'Files are brought to the provider before the message.')),
  window: withDefault(integer(1, 10_000, 'Calls at the same time.'), 50),
  rate: withDefault(integer(0, 100_000, 'Messages a second; 0 means no limit.'), 0),
  timeout: withDefault(duration('Time for a whole call.'), 30 * SECOND_MS, '30s'),
  maxAnswerBytes: withDefault(integer(100, 10_000_000, 'Longest answer that is read.'), 262_144),
  allowPrivate: withDefault(flag('The provider is at a private address.'), false),
  ca: optional(text('PEM', "Certificates to trust besides the system's.")),
  breaker: withDefault(
    section(BREAKER_KEYS, 'When to stop sending for a while.'),
    { failures: 5, pause: 5 * SECOND_MS, longestPause: 5 * MINUTE_MS },
    '',
  ),
  test: optional(section(REQUEST_KEYS, 'Request for a sign of life; 2xx is one.')),
} as const;

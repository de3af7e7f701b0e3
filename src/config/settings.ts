/** Every setting, once: environment variable, form, default, meaning. docs/configuration.md is generated from this. */
import { parseSealingKey } from '../platform/sealing.ts';
import { isTimeZone } from '../platform/zoned-time.ts';
import { checked, choice, duration, latency, list, secret, text, wholeNumber } from './setting.ts';

export const SETTINGS = {
  mode: choice(
    {
      env: 'BONGSU_MODE',
      meaning:
        'sandbox: a demo account and a simulated network are ready at once. production: neither, unless configured; risky settings are refused.',
    },
    ['sandbox', 'production'],
    'sandbox',
  ),
  host: text({ env: 'BONGSU_HOST', meaning: 'Address to listen on.' }, 'address', '127.0.0.1'),
  port: wholeNumber(
    { env: 'BONGSU_PORT', meaning: 'Port to listen on; 0 takes a free one.' },
    0,
    65535,
    '8080',
  ),
  proxyHops: wholeNumber(
    {
      env: 'BONGSU_PROXY_HOPS',
      meaning: 'Reverse proxies in front, whose X-Forwarded-For tells the address of a caller.',
    },
    0,
    10,
    '0',
  ),
  publicUrl: checked(
    {
      env: 'BONGSU_PUBLIC_URL',
      meaning:
        'Where clients reach this server, for the addresses of uploaded images; without it, where the upload came to.',
    },
    'URL such as https://msg.example.com',
    undefined,
    value => /^https?:$/.test(URL.parse(value)?.protocol ?? '') && !/[?#]/.test(value),
  ),
  dataDir: text(
    { env: 'BONGSU_DATA_DIR', meaning: 'Directory of the embedded database and of uploaded files.' },
    'path',
    './data',
  ),
  databaseUrl: secret(
    {
      env: 'BONGSU_DATABASE_URL',
      meaning: 'PostgreSQL to use instead of the embedded SQLite; needed for several nodes.',
    },
    'postgres://user:password@host:port/database',
    value => (/^postgres(ql)?:\/\/./.test(value) ? value : undefined),
  ),
  storeTimeoutMs: duration(
    {
      env: 'BONGSU_STORE_TIMEOUT',
      meaning: 'How long a request waits for the store before it is answered A920.',
    },
    '10s',
  ),
  configFile: text(
    { env: 'BONGSU_CONFIG', meaning: 'File with carriers and routes. The default may be absent.' },
    'path',
    'bongsu.yaml',
  ),
  headerPrefixes: list(
    {
      env: 'BONGSU_HEADER_PREFIXES',
      meaning:
        'Vendor prefixes of the credential headers: SVC serves X-SVC-Client-Id. The public SDKs send IB.',
    },
    'comma list of words',
    'SVC',
    /^[A-Za-z0-9]{1,20}$/,
  ),
  timeZone: checked(
    { env: 'BONGSU_TIME_ZONE', meaning: 'Zone of the timestamps in answers.' },
    'IANA zone such as Asia/Seoul',
    'Asia/Seoul',
    isTimeZone,
  ),
  demoAccount: secret(
    {
      env: 'BONGSU_DEMO_ACCOUNT',
      meaning: 'Demo account to create on the first start in the sandbox, instead of a generated password.',
    },
    'id:password',
    value => {
      const match = /^([0-9A-Za-z._@-]{1,64}):(.{1,256})$/.exec(value);
      return match?.[1] && match[2] ? { id: match[1], password: match[2] } : undefined;
    },
  ),
  adminToken: secret(
    {
      env: 'BONGSU_ADMIN_TOKEN',
      meaning:
        'Bearer token of the operator API. Without it the sandbox generates one on the first start, and production has no operator API.',
    },
    'at least 8 characters without blanks',
    value => (/^\S{8,256}$/.test(value) ? value : undefined),
  ),
  secretKey: secret(
    {
      env: 'BONGSU_SECRET_KEY',
      meaning:
        'Key that seals the signing secrets of webhooks in the store. Without it SQLite has one made in the data directory (secret.key); with PostgreSQL, where several nodes must have the same, webhooks need it.',
    },
    '32 bytes in base64 or hexadecimal',
    parseSealingKey,
  ),
  webhookPrivate: choice(
    {
      env: 'BONGSU_WEBHOOK_PRIVATE',
      meaning:
        'Whether webhooks may go to loopback, private and other addresses that are not public. refuse keeps an account from reaching into your network.',
    },
    ['refuse', 'allow'],
    'refuse',
  ),
  tokenLifetimeMs: duration(
    { env: 'BONGSU_TOKEN_LIFETIME', meaning: 'How long an access token is valid.' },
    '24h',
  ),
  tokenRate: wholeNumber(
    {
      env: 'BONGSU_TOKEN_RATE',
      meaning: 'Tokens an account may ask for in a second; four times that at once.',
    },
    1,
    1_000_000,
    '500',
  ),
  reportRetentionMs: duration(
    { env: 'BONGSU_REPORT_RETENTION', meaning: 'How long a record waits to be fetched by polling.' },
    '3d',
  ),
  inquiryWindowMs: duration(
    { env: 'BONGSU_INQUIRY_WINDOW', meaning: 'How long messages and their records are kept for inquiry.' },
    '30d',
  ),
  fileLifetimeMs: duration(
    { env: 'BONGSU_FILE_LIFETIME', meaning: 'How long an uploaded image can be used.' },
    '90d',
  ),
  deadlineTextMs: duration(
    {
      env: 'BONGSU_DEADLINE_TEXT',
      meaning: 'Silence after which SMS and international SMS count as failed.',
    },
    '25h',
  ),
  deadlineMmsMs: duration(
    { env: 'BONGSU_DEADLINE_MMS', meaning: 'Silence after which LMS and MMS count as failed.' },
    '80h',
  ),
  deadlineMessengerMs: duration(
    { env: 'BONGSU_DEADLINE_MESSENGER', meaning: 'Silence after which messenger messages count as failed.' },
    '10m',
  ),
  simulatorLatency: latency(
    {
      env: 'BONGSU_SIMULATOR_LATENCY',
      meaning:
        'How long the simulated network takes for an answer, and again for a receipt. 0 for load tests.',
    },
    '50-300ms',
  ),
  shutdownTimeoutMs: duration(
    {
      env: 'BONGSU_SHUTDOWN_TIMEOUT',
      meaning:
        'How long a stop waits for answers of carriers. What is unanswered then is unknown until its receipt comes.',
    },
    '30s',
  ),
  queueLimit: wholeNumber(
    {
      env: 'BONGSU_QUEUE_LIMIT',
      meaning: 'Messages waiting to be sent above which sends are answered A020; 0 means no limit.',
    },
    0,
    1_000_000_000,
    '0',
  ),
  logLevel: choice(
    { env: 'BONGSU_LOG', meaning: 'What to log, as lines of JSON on standard error.' },
    ['debug', 'info', 'warn', 'error', 'silent'],
    'info',
  ),
} as const;

/** Variables that only the command line reads. */
export const CLI_SETTINGS = {
  url: checked(
    { env: 'BONGSU_URL', meaning: 'Gateway that send, reports and watch talk to.' },
    'URL such as http://127.0.0.1:8080',
    'http://127.0.0.1:8080',
    value => /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
  ),
  clientId: text({ env: 'BONGSU_CLIENT_ID', meaning: 'Account id for send and reports.' }, 'account id'),
  clientPassword: secret(
    { env: 'BONGSU_CLIENT_PASSWORD', meaning: 'Password for send and reports.' },
    'password',
    value => value,
  ),
} as const;

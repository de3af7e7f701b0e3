/** Every setting, once: environment variable, form, default, meaning. docs/configuration.md is generated from this. */
import { parseSealingKey } from '../platform/sealing.ts';
import { parseDataKeys } from '../platform/vault.ts';
import { isTimeZone } from '../platform/zoned-time.ts';
import { parseFilePlace } from './file-place.ts';
import {
  duration,
  durationRange,
  listOf,
  networks,
  oneOf,
  parsed,
  size,
  text,
  wholeNumber,
} from './kinds.ts';
import { secret, setting } from './setting.ts';

export const SETTINGS = {
  mode: setting({
    env: 'BONGSU_MODE',
    kind: oneOf(['sandbox', 'production']),
    fallback: 'sandbox',
    meaning:
      'sandbox: has a demo account and a simulated network. production: has neither unless configured, and refuses risky settings.',
  }),
  host: setting({
    env: 'BONGSU_HOST',
    kind: text('an address'),
    fallback: '127.0.0.1',
    meaning: 'Address to listen on; localhost is 127.0.0.1.',
  }),
  port: setting({
    env: 'BONGSU_PORT',
    kind: wholeNumber(0, 65_535),
    fallback: '8080',
    meaning: 'Port to listen on; 0 picks a free one.',
  }),
  tlsCert: setting({
    env: 'BONGSU_TLS_CERT',
    kind: text('a path'),
    meaning:
      'PEM file with the certificate and its intermediates. With it the server speaks HTTPS only. SIGHUP reads it again.',
  }),
  tlsKey: setting({
    env: 'BONGSU_TLS_KEY',
    kind: text('a path'),
    meaning: 'PEM file with the key of the certificate. SIGHUP reads it again.',
  }),
  httpThreads: setting({
    env: 'BONGSU_HTTP_THREADS',
    kind: wholeNumber(0, 64),
    meaning:
      'Threads that speak HTTP, besides the one that stores and sends. 0: one thread does everything. Without it 1, or 0 on a machine with one core.',
  }),
  proxyHops: setting({
    env: 'BONGSU_PROXY_HOPS',
    kind: wholeNumber(0, 10),
    fallback: '0',
    meaning:
      'Number of reverse proxies in front, whose X-Forwarded-For header gives the address of the caller. Without BONGSU_TRUSTED_PROXIES it counts only on connections from private addresses.',
  }),
  trustedProxies: setting({
    env: 'BONGSU_TRUSTED_PROXIES',
    kind: networks,
    meaning:
      'Addresses of the reverse proxies, whose X-Forwarded-For header gives the address of the caller. It counts only on connections from these; BONGSU_PROXY_HOPS limits their number.',
  }),
  maxConnections: setting({
    env: 'BONGSU_MAX_CONNECTIONS',
    kind: wholeNumber(1, 1_000_000),
    meaning:
      'HTTP connections open at once. A further one replaces an idle one of the address with the most. Without it half of the descriptors of the process, or three quarters without HTTP threads; at most 10000.',
  }),
  requestTimeoutMs: setting({
    env: 'BONGSU_REQUEST_TIMEOUT',
    kind: duration('100ms', '1h'),
    fallback: '30s',
    meaning: 'Time in which a request must arrive; then its connection is closed.',
  }),
  publicUrl: setting({
    env: 'BONGSU_PUBLIC_URL',
    kind: text(
      'a URL such as https://msg.example.com',
      value => /^https?:$/.test(URL.parse(value)?.protocol ?? '') && !/[?#]/.test(value),
    ),
    meaning:
      'Where clients reach this server, for the addresses of uploaded images; without it, the address that the upload was sent to.',
  }),
  nodeName: setting({
    env: 'BONGSU_NODE_NAME',
    kind: text('1 to 64 letters, digits, dots, colons, hyphens and underscores', /^[\w.:-]{1,64}$/),
    meaning:
      'Name of this node for operators and in the log, different on each node; without it, host and port.',
  }),
  dataDir: setting({
    env: 'BONGSU_DATA_DIR',
    kind: text('a path'),
    fallback: './data',
    meaning: 'Directory of the embedded database, and of uploaded files where they are not kept elsewhere.',
  }),
  diskReserveBytes: setting({
    env: 'BONGSU_DISK_RESERVE',
    kind: size,
    meaning:
      'With less free on the disk of the data directory, reservations and uploads kept there are answered A920; sends go on until it is full. 0 turns it off. Without it 5 % of the disk, at most 5GB.',
  }),
  databaseUrl: secret({
    env: 'BONGSU_DATABASE_URL',
    kind: text('postgres://user:password@host:port/database', /^postgres(ql)?:\/\/./),
    meaning: 'PostgreSQL to use instead of the embedded SQLite; needed for several nodes.',
  }),
  files: setting({
    env: 'BONGSU_FILES',
    kind: parsed('directory, database, s3://BUCKET or s3://BUCKET/PREFIX', parseFilePlace),
    meaning:
      'Where uploaded files are kept: in the data directory, in PostgreSQL, or in a bucket of an S3-compatible store. Without it `database` with PostgreSQL and `directory` with SQLite. See docs/files.md.',
  }),
  s3Endpoint: setting({
    env: 'BONGSU_S3_ENDPOINT',
    kind: text('a URL such as https://minio.example.com:9000', /^https?:\/\/[^\s?#@]+$/),
    meaning: 'Address of the S3-compatible store. Without it that of Amazon S3 in `BONGSU_S3_REGION`.',
  }),
  s3Region: setting({
    env: 'BONGSU_S3_REGION',
    kind: text('a region', /^[\w-]{1,64}$/),
    fallback: 'us-east-1',
    meaning: 'Region of the bucket. Stores without regions accept the default.',
  }),
  s3AccessKeyId: secret({
    env: 'BONGSU_S3_ACCESS_KEY_ID',
    kind: text('an access key', /^\S{1,256}$/),
    meaning: 'Access key for the bucket. It needs to get, put, delete and list objects.',
  }),
  s3SecretAccessKey: secret({
    env: 'BONGSU_S3_SECRET_ACCESS_KEY',
    kind: text('a secret key', /^\S{1,1024}$/),
    meaning: 'Secret key for the bucket.',
  }),
  rowSecurity: setting({
    env: 'BONGSU_ROW_SECURITY',
    kind: oneOf(['auto', 'on', 'off']),
    fallback: 'auto',
    meaning:
      'PostgreSQL only: what is done for an account runs under a role that sees only the rows of that account. auto: warns if there is no such role. on: does not start without it.',
  }),
  databaseDurability: setting({
    env: 'BONGSU_DATABASE_DURABILITY',
    kind: oneOf(['required', 'relaxed']),
    fallback: 'required',
    meaning:
      'PostgreSQL only: required: production refuses a server that may lose what it acknowledged. relaxed: it is used all the same. See docs/postgresql.md.',
  }),
  reservationLeadMs: setting({
    env: 'BONGSU_RESERVATION_LEAD',
    kind: duration('0s', '364d'),
    fallback: '1m',
    meaning: 'How long before its time a send must be reserved; less is answered A316.',
  }),
  storeTimeoutMs: setting({
    env: 'BONGSU_STORE_TIMEOUT',
    kind: duration('100ms', '10m'),
    fallback: '10s',
    meaning: 'How long a request waits for the store before it is answered A920.',
  }),
  configFile: setting({
    env: 'BONGSU_CONFIG',
    kind: text('a path'),
    fallback: 'bongsu.yaml',
    meaning: 'File with carriers and routes. The default may be absent.',
  }),
  headerPrefixes: setting({
    env: 'BONGSU_HEADER_PREFIXES',
    kind: listOf('words, separated by commas', /^[A-Za-z0-9]{1,20}$/),
    fallback: 'SVC',
    meaning: 'Vendor prefixes of the credential headers: SVC means X-SVC-Client-Id. The public SDKs send IB.',
  }),
  timeZone: setting({
    env: 'BONGSU_TIME_ZONE',
    kind: text('an IANA zone such as Asia/Seoul', isTimeZone),
    fallback: 'Asia/Seoul',
    meaning: 'Time zone of the timestamps in answers, and of the days of statistics.',
  }),
  demoAccount: secret({
    env: 'BONGSU_DEMO_ACCOUNT',
    kind: parsed('id:password', value => {
      const match = /^([0-9A-Za-z._@-]{1,64}):(.{1,256})$/.exec(value);
      return match?.[1] && match[2] ? { id: match[1], password: match[2] } : undefined;
    }),
    meaning:
      'Demo account that the sandbox creates on its first start, instead of one with a generated password.',
  }),
  adminToken: secret({
    env: 'BONGSU_ADMIN_TOKEN',
    kind: text('at least 8 characters without spaces', /^\S{8,256}$/),
    meaning:
      'Bearer token of the operator API, with the role admin. Without it the sandbox generates one on the first start, and production has only named operators.',
  }),
  optOutToken: secret({
    env: 'BONGSU_OPT_OUT_TOKEN',
    kind: text('at least 16 characters without spaces', /^\S{16,256}$/),
    meaning:
      'Token with which the service behind a free opt-out number (080) calls `/optout/calls/ACCOUNT`; without it the path does not exist.',
  }),
  masking: setting({
    env: 'BONGSU_MASKING',
    kind: oneOf(['everyone', 'non-admins']),
    meaning:
      'For whom the operator API and the console mask numbers and texts. Without it `everyone` in production and `non-admins` in the sandbox. See docs/operators.md.',
  }),
  secretKey: secret({
    env: 'BONGSU_SECRET_KEY',
    kind: parsed('32 bytes in base64 or hexadecimal', parseSealingKey),
    meaning:
      'Key that encrypts the signing secrets of webhooks, the same on every node. Without it, SQLite creates one in the data directory (secret.key), and PostgreSQL has no webhooks.',
  }),
  dataKeys: secret({
    env: 'BONGSU_DATA_KEY',
    kind: parsed('keys of 32 bytes in base64 or hexadecimal, separated by commas', parseDataKeys),
    meaning:
      'Keys that encrypt recipients, texts and variables in the store, the same on every node. The first encrypts, all decrypt; see docs/data-key.md. Without it they are stored as they are.',
  }),
  webhookPrivate: setting({
    env: 'BONGSU_WEBHOOK_PRIVATE',
    kind: oneOf(['refuse', 'allow']),
    fallback: 'refuse',
    meaning: 'Whether webhooks may call loopback, private and other non-public addresses.',
  }),
  tokenLifetimeMs: setting({
    env: 'BONGSU_TOKEN_LIFETIME',
    kind: duration('1s', '3650d'),
    fallback: '24h',
    meaning: 'How long an access token is valid.',
  }),
  tokenRate: setting({
    env: 'BONGSU_TOKEN_RATE',
    kind: wholeNumber(1, 1_000_000),
    fallback: '500',
    meaning: 'Tokens that an account may request per second, with bursts of four times as many.',
  }),
  tokensPerAccount: setting({
    env: 'BONGSU_TOKENS_PER_ACCOUNT',
    kind: wholeNumber(1, 10_000_000),
    fallback: '100000',
    meaning:
      'Valid tokens of an account that has no limit of its own (`tokenLimit`). When there are more, the oldest end.',
  }),
  reportRetentionMs: setting({
    env: 'BONGSU_REPORT_RETENTION',
    kind: duration('1m', '3650d'),
    fallback: '3d',
    meaning: 'How long a report record can be fetched by polling.',
  }),
  inquiryWindowMs: setting({
    env: 'BONGSU_INQUIRY_WINDOW',
    kind: duration('1m', '3650d'),
    fallback: '30d',
    meaning: 'How long messages and their records are kept for inquiry.',
  }),
  textRetentionMs: setting({
    env: 'BONGSU_TEXT_RETENTION',
    // No shorter: a message may be committed some seconds after its key was made.
    kind: duration('1m', '3650d'),
    fallback: '7d',
    meaning:
      'How long the text of a message and its replacement words are kept, at most BONGSU_INQUIRY_WINDOW. A pending message keeps its text until it has ended.',
  }),
  fileLifetimeMs: setting({
    env: 'BONGSU_FILE_LIFETIME',
    kind: duration('1m', '3650d'),
    fallback: '90d',
    meaning: 'How long an uploaded image can be used.',
  }),
  deadlineTextMs: setting({
    env: 'BONGSU_DEADLINE_TEXT',
    kind: duration('1s', '365d'),
    fallback: '25h',
    meaning: 'Time without a receipt after which SMS and international SMS count as failed.',
  }),
  deadlineMmsMs: setting({
    env: 'BONGSU_DEADLINE_MMS',
    kind: duration('1s', '365d'),
    fallback: '80h',
    meaning: 'Time without a receipt after which LMS and MMS count as failed.',
  }),
  deadlineMessengerMs: setting({
    env: 'BONGSU_DEADLINE_MESSENGER',
    kind: duration('1s', '365d'),
    fallback: '10m',
    meaning: 'Time without a receipt after which messenger messages count as failed.',
  }),
  simulatorLatency: setting({
    env: 'BONGSU_SIMULATOR_LATENCY',
    kind: durationRange,
    fallback: '50-300ms',
    meaning: 'Time that the simulated network takes to answer, and then to send a receipt. 0 for load tests.',
  }),
  shutdownTimeoutMs: setting({
    env: 'BONGSU_SHUTDOWN_TIMEOUT',
    kind: duration('1s', '1d'),
    fallback: '30s',
    meaning: 'How long a stop waits for answers of carriers. Messages without an answer become unknown.',
  }),
  queueLimit: setting({
    env: 'BONGSU_QUEUE_LIMIT',
    kind: wholeNumber(0, 1_000_000_000),
    fallback: '0',
    meaning: 'Number of waiting messages above which sends are answered A020; 0 means no limit.',
  }),
  logLevel: setting({
    env: 'BONGSU_LOG',
    kind: oneOf(['debug', 'info', 'warn', 'error', 'silent']),
    fallback: 'info',
    meaning: 'Log level; the log is written to standard error as lines of JSON.',
  }),
} as const;

/** Variables that only the command line reads. */
export const CLI_SETTINGS = {
  url: setting({
    env: 'BONGSU_URL',
    kind: text('a URL such as http://127.0.0.1:8080', value =>
      /^https?:$/.test(URL.parse(value)?.protocol ?? ''),
    ),
    fallback: 'http://127.0.0.1:8080',
    meaning: 'Gateway that send, reports and watch use.',
  }),
  clientId: setting({
    env: 'BONGSU_CLIENT_ID',
    kind: text('an account id'),
    meaning: 'Account id for send and reports.',
  }),
  clientPassword: secret({
    env: 'BONGSU_CLIENT_PASSWORD',
    kind: text('a password'),
    meaning: 'Password for send and reports.',
  }),
} as const;

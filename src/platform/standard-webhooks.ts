/**
 * Signatures as in Standard Webhooks: HMAC-SHA256 over `id.timestamp.body`. Two secrets at a time let one
 * be replaced: a signature is made with each of them, and one that fits is enough.
 */
import { hmacSha256, isSameSecret } from './hashing.ts';

/** How far the clocks of both sides may be apart. */
const TOLERANCE_SECONDS = 300;

export interface Signed {
  readonly id: string;
  readonly body: string | Buffer;
}

export function signatureHeaders(
  secrets: readonly string[],
  { id, body }: Signed,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(secret => signatureOf(secret, id, timestamp, body)).join(' '),
  };
}

export function isSignedBy(
  secrets: readonly string[],
  headers: Readonly<Record<string, string>>,
  body: Buffer,
  nowMs: number,
): boolean {
  const id = headers['webhook-id'];
  const timestamp = headers['webhook-timestamp'];
  const signatures = headers['webhook-signature']?.split(' ') ?? [];
  if (id === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
  const wanted = secrets.map(secret => signatureOf(secret, id, timestamp, body));
  return signatures.some(given => wanted.some(signature => isSameSecret(given, signature)));
}

function signatureOf(secret: string, id: string, timestamp: string, body: string | Buffer): string {
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), Buffer.from(body)]);
  return `v1,${hmacSha256(keyOf(secret), content).toString('base64')}`;
}

/** `whsec_` marks base64; anything else is the key itself. */
function keyOf(secret: string): Buffer {
  const prefix = 'whsec_';
  return secret.startsWith(prefix) ? Buffer.from(secret.slice(prefix.length), 'base64') : Buffer.from(secret);
}

/** What calls webhooks, and the secrets that it signs with. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Randomness } from '../platform/randomness.ts';
import { createSealer, type Sealer, sealingKeyOfFile } from '../platform/sealing.ts';
import { type CallWebhook, createWebhookCall } from '../report/webhook/call.ts';
import { createWebhookSecrets, type WebhookSecrets } from '../report/webhook/secrets.ts';
import type { Store } from '../store/store.ts';

/** In the data directory: the key that seals secrets, unless BONGSU_SECRET_KEY is set. */
export const KEY_FILE = 'secret.key';

export interface WebhookCalls {
  readonly secrets: WebhookSecrets;
  readonly callWebhook: CallWebhook;
  close(): Promise<void>;
}

export function openWebhookCalls(
  config: Config,
  deps: { readonly store: Store; readonly clock: Clock; readonly random: Randomness },
): WebhookCalls {
  const { store, clock, random } = deps;
  const { dataDir, headerPrefixes, webhookPrivate, secrets } = config;
  const outbound = createOutbound({ clock, allowPrivate: webhookPrivate === 'allow' });
  let sealer: Sealer | undefined;
  const openSealer = () => {
    // Several nodes must have the same key; one process with its own database can keep its own.
    const isShared = secrets.databaseUrl !== undefined && secrets.secretKey === undefined;
    if (isShared) return undefined;
    sealer ??= createSealer(secrets.secretKey?.reveal() ?? sealingKeyOfFile(join(dataDir, KEY_FILE)));
    return sealer;
  };
  return {
    secrets: createWebhookSecrets({ store, clock, random, sealer: openSealer }),
    callWebhook: createWebhookCall({ outbound, clock, headerPrefixes }),
    close: () => outbound.close(),
  };
}

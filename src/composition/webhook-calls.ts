/** What calls webhooks, and the secrets that it signs with. */
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Clock } from '../platform/clock.ts';
import { createOutbound } from '../platform/outbound.ts';
import type { Randomness } from '../platform/randomness.ts';
import { createSealer, type Sealer, sealingKeyOfFile } from '../platform/sealing.ts';
import { createWebhookCall } from '../report/webhook/call.ts';
import { createWebhookSecrets } from '../report/webhook/secrets.ts';
import type { Store } from '../store/store.ts';

/** In the data directory: the key that seals secrets, unless BONGSU_SECRET_KEY is set. */
const KEY_FILE = 'secret.key';

export function webhookCalls(
  config: Config,
  parts: { readonly store: Store; readonly clock: Clock; readonly random: Randomness },
) {
  const outbound = createOutbound({ clock: parts.clock, allowPrivate: config.webhookPrivate === 'allow' });
  let sealer: Sealer | undefined;
  const openSealer = () => {
    // Several nodes must have the same key; one process with its own database can keep its own.
    const isShared = config.databaseUrl !== undefined && config.secretKey === undefined;
    if (isShared) return undefined;
    sealer ??= createSealer(config.secretKey ?? sealingKeyOfFile(join(config.dataDir, KEY_FILE)));
    return sealer;
  };
  return {
    secrets: createWebhookSecrets({ ...parts, sealer: openSealer }),
    callWebhook: createWebhookCall({ ...config, outbound, clock: parts.clock }),
    close: () => outbound.close(),
  };
}

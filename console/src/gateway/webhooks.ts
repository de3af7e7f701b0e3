import { call, pathOf } from './call.ts';

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'off'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

export interface Delivery {
  readonly id: string;
  readonly account: string;
  readonly msgKey: string;
  readonly step: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
}

export const listDeliveries = (
  query: { account?: string; state?: string; cursor?: string },
  signal: AbortSignal,
) => call<{ deliveries: readonly Delivery[]; next: string | null }>('GET', '/webhooks', { query, signal });

export interface Webhook {
  readonly url: string | null;
  readonly isOff: boolean;
  readonly offReason: string | null;
  readonly secrets: readonly { readonly id: string; readonly createdAt: string }[];
  readonly pending: number;
  readonly circuit?: string | null;
}

export const readWebhook = (account: string, signal: AbortSignal) =>
  call<Webhook>('GET', pathOf('accounts', account, 'webhook'), { signal });

export const testWebhook = (account: string) =>
  call<{ isOk: boolean; status: number | null; detail: string }>('POST', webhookPath(account, 'test'));
export const replayWebhook = (account: string, period: { from: string; until: string }) =>
  call<{ records: number }>('POST', webhookPath(account, 'replay'), { body: period });
export const rotateSecret = (account: string) =>
  call<{ secret: string }>('POST', webhookPath(account, 'secret'));
export const resumeWebhook = (account: string) => call<void>('POST', webhookPath(account, 'resume'));

function webhookPath(account: string, action: string): string {
  return pathOf('accounts', account, 'webhook', action);
}

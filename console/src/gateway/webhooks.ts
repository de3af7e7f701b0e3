import { call, pathOf } from './call.ts';

export const DELIVERY_STATES = ['pending', 'retrying', 'delivered', 'failed', 'off'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];
export type WaitsFor = 'time' | 'turn' | 'call' | 'circuit' | 'webhook';

export interface Delivery {
  readonly id: string;
  readonly account: string;
  readonly msgKey: string;
  readonly step: number;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly waitsFor: WaitsFor | null;
  readonly nextAt: string | null;
  readonly lastAt: string | null;
  readonly lastError: string | null;
  readonly lastStatus: number | null;
}

/** What went back and forth in one attempt. */
export interface Exchange {
  readonly request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
  };
  readonly answer: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly length: number;
  } | null;
  readonly sentMs: number | null;
  readonly answeredMs: number | null;
}

export interface Attempt {
  readonly at: string;
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
  readonly exchange: Exchange | null;
}

/** The receiver keeps failing. */
export interface Trouble {
  readonly since: string;
  readonly failures: number;
  readonly error: string;
  readonly lastAt: string;
  readonly nextAt: string | null;
}

export interface DeliveryDetail extends Delivery {
  readonly offReason: string | null;
  readonly trouble: Trouble | null;
  readonly reportedAt: string;
  readonly giveUpAt: string;
  readonly history: readonly Attempt[];
}

export const listDeliveries = (
  query: { account?: string; state?: string; cursor?: string },
  signal: AbortSignal,
) => call<{ deliveries: readonly Delivery[]; next: string | null }>('GET', '/webhooks', { query, signal });

export const readDelivery = (id: string, signal: AbortSignal) =>
  call<DeliveryDetail>('GET', pathOf('webhooks', id), { signal });
export const retryDelivery = (id: string) => call<Delivery>('POST', pathOf('webhooks', id, 'retry'));

export interface Webhook {
  readonly url: string | null;
  readonly isOff: boolean;
  readonly offReason: string | null;
  readonly secrets: readonly { readonly id: string; readonly createdAt: string }[];
  readonly pending: number;
  readonly trouble: Trouble | null;
}

export const readWebhook = (account: string, signal: AbortSignal) =>
  call<Webhook>('GET', pathOf('accounts', account, 'webhook'), { signal });

export interface WebhookTest {
  readonly isOk: boolean;
  readonly at: string;
  readonly status: number | null;
  readonly detail: string;
  readonly durationMs: number;
  readonly exchange: Exchange | null;
}

interface Period {
  readonly from: string;
  readonly until: string;
}

export const testWebhook = (account: string) => call<WebhookTest>('POST', webhookPath(account, 'test'));
export const replayWebhook = (account: string, period: Period) =>
  call<{ records: number }>('POST', webhookPath(account, 'replay'), { body: period });
export const retryWebhook = (account: string, period: Period) =>
  call<{ records: number }>('POST', webhookPath(account, 'retry'), { body: period });
export const rotateSecret = (account: string) =>
  call<{ secret: string }>('POST', webhookPath(account, 'secret'));
export const resumeWebhook = (account: string) => call<void>('POST', webhookPath(account, 'resume'));

function webhookPath(account: string, action: string): string {
  return pathOf('accounts', account, 'webhook', action);
}

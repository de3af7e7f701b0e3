import { read, readList } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

export type DeliveryState = 'pending' | 'retrying' | 'delivered' | 'failed' | 'off';
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

export const listDeliveries = (query: { readonly account: string; readonly state: string }) =>
  readList<Delivery>('/webhooks', 'deliveries', query);

export const readDelivery = (id: string) => read<DeliveryDetail>(pathOf('webhooks', id));
export const retryDelivery = (id: string) => call<Delivery>('POST', pathOf('webhooks', id, 'retry'));

export interface Webhook {
  readonly url: string | null;
  readonly isOff: boolean;
  readonly offReason: string | null;
  readonly secrets: readonly { readonly id: string; readonly createdAt: string }[];
  readonly pending: number;
  readonly trouble: Trouble | null;
}

export const readWebhook = (account: string) => read<Webhook>(pathOf('accounts', account, 'webhook'));

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

/** The question for deliveries that both engines ask: one text for each combination of filters, so each can use its index. */
import type { DeliveryKey, DeliveryView } from './port/webhook-store.ts';

type Placeholder = (position: number) => string;

const OFF_ACCOUNTS = 'account IN (SELECT account FROM webhook_off)';
/** Spelled out, because a partial index serves only a condition that repeats its own. */
const IN_STATE: Readonly<Record<DeliveryView['state'], string>> = {
  pending: `state = 'pending' AND attempts = 0 AND NOT ${OFF_ACCOUNTS}`,
  retrying: `state = 'pending' AND attempts > 0 AND NOT ${OFF_ACCOUNTS}`,
  off: `state = 'pending' AND ${OFF_ACCOUNTS}`,
  delivered: "state = 'delivered'",
  failed: "state = 'failed'",
};

/** The columns of a delivery as operators see it. */
const VIEW = `
  msg_key, step, account, attempts, recent, give_up_at, reported_at, owner,
  CASE WHEN replay_at < next_at THEN replay_at ELSE next_at END AS next_at,
  CASE WHEN state <> 'pending' THEN state WHEN ${OFF_ACCOUNTS} THEN 'off'
       WHEN attempts > 0 THEN 'retrying' ELSE state END AS state`;

export function deliveryQuery(placeholder: Placeholder): string {
  return `SELECT ${VIEW} FROM webhook_delivery WHERE msg_key = ${placeholder(1)} AND step = ${placeholder(2)}`;
}

export function deliveryListQuery(
  query: {
    readonly account: string | undefined;
    readonly state: DeliveryView['state'] | undefined;
    readonly before: DeliveryKey | undefined;
    readonly limit: number;
  },
  placeholder: Placeholder,
): { readonly text: string; readonly parameters: (string | number)[] } {
  const parameters: (string | number)[] = [];
  const bind = (value: string | number) => placeholder(parameters.push(value));
  const conditions: string[] = [];
  if (query.account !== undefined) conditions.push(`account = ${bind(query.account)}`);
  if (query.state !== undefined) conditions.push(IN_STATE[query.state]);
  if (query.before !== undefined) {
    const { msgKey, step } = query.before;
    conditions.push(`(msg_key, step) < (${bind(msgKey)}, ${bind(step)})`);
  }
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
  const text = `
    SELECT ${VIEW}
      FROM webhook_delivery ${where}
     ORDER BY msg_key DESC, step DESC LIMIT ${bind(query.limit)}`;
  return { text, parameters };
}

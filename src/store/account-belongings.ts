/**
 * What goes when an account is deleted: every table that holds something of an account, with its key. Messages and their
 * records are no part of it, they are evidence of what was sent: they go when their time is over, as those of every account.
 * Files are made to expire, because their bytes must go too.
 */
interface Belongings {
  readonly table: string;
  /** The column that names the account. */
  readonly owner: string;
  readonly key: string;
  /** Which of its rows go; all without it. */
  readonly condition?: string;
}

export const ACCOUNT_BELONGINGS: readonly Belongings[] = [
  { table: 'token', owner: 'account', key: 'hash' },
  { table: 'form', owner: 'account', key: 'account, form_id' },
  // A released list leads to messages, which stay.
  { table: 'reservation_list', owner: 'account', key: 'request_id', condition: 'released_at IS NULL' },
  { table: 'reservation', owner: 'account', key: 'resv_key' },
  { table: 'registry', owner: 'account', key: 'account, kind, key' },
  { table: 'template_history', owner: 'account', key: 'account, kind, key, revision' },
  { table: 'recent_send', owner: 'account', key: 'account, hash' },
  { table: 'opt_out', owner: 'account', key: 'id' },
  { table: 'opt_out_list', owner: 'account', key: 'account, covers' },
  { table: 'idempotency', owner: 'account', key: 'account, key' },
  { table: 'webhook_delivery', owner: 'account', key: 'msg_key, step' },
  { table: 'webhook_secret', owner: 'account', key: 'account, id' },
  { table: 'webhook_off', owner: 'account', key: 'account' },
  { table: 'webhook_circuit', owner: 'account', key: 'account, node' },
  { table: 'report_batch', owner: 'account', key: 'account' },
  { table: 'report_queue', owner: 'account', key: 'seq' },
  { table: 'inbound_batch', owner: 'account', key: 'account' },
  { table: 'known_address', owner: 'owner', key: 'hash' },
];

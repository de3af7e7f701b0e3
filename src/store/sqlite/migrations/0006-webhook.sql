-- Records on their way to the webhooks of accounts; one row a record, kept for a while after its end.
-- state: pending | delivered | failed. owner: the node that holds it, NULL when nobody does. recent: the last attempts.
CREATE TABLE webhook_delivery (
  msg_key     TEXT NOT NULL,
  step        INTEGER NOT NULL,
  account     TEXT NOT NULL,
  is_last     INTEGER NOT NULL,
  reported_at INTEGER NOT NULL,
  state       TEXT NOT NULL,
  next_at     INTEGER NOT NULL,
  give_up_at  INTEGER NOT NULL,
  attempts    INTEGER NOT NULL,
  recent      TEXT NOT NULL,
  owner       TEXT,
  finished_at INTEGER,
  PRIMARY KEY (msg_key, step)
) WITHOUT ROWID;
CREATE INDEX webhook_delivery_by_turn ON webhook_delivery (account, next_at, msg_key, step) WHERE state = 'pending';
CREATE INDEX webhook_delivery_by_window ON webhook_delivery (give_up_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_by_owner ON webhook_delivery (owner, account) WHERE owner IS NOT NULL;
CREATE INDEX webhook_delivery_by_end ON webhook_delivery (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_delivery_failed ON webhook_delivery (msg_key, step) WHERE state = 'failed';
CREATE INDEX webhook_delivery_by_account ON webhook_delivery (account, msg_key, step);

-- Signing secrets, sealed.
CREATE TABLE webhook_secret (
  account    TEXT NOT NULL,
  id         TEXT NOT NULL,
  sealed     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  PRIMARY KEY (account, id)
) WITHOUT ROWID;

-- Webhooks that answered 410.
CREATE TABLE webhook_off (
  account TEXT PRIMARY KEY,
  url     TEXT NOT NULL,
  reason  TEXT NOT NULL,
  at      INTEGER NOT NULL
) WITHOUT ROWID;

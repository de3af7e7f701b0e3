-- Records on their way to the webhooks of accounts; one row a record, kept for a while after its end.
-- state: pending | delivered | failed. owner: the node that holds it, NULL when nobody does. recent: the last attempts.
CREATE TABLE webhook_delivery (
  msg_key     text COLLATE "C" NOT NULL,
  step        integer NOT NULL,
  account     text COLLATE "C" NOT NULL,
  is_last     smallint NOT NULL,
  reported_at bigint NOT NULL,
  state       text COLLATE "C" NOT NULL,
  next_at     bigint NOT NULL,
  give_up_at  bigint NOT NULL,
  attempts    integer NOT NULL,
  recent      text NOT NULL,
  owner       text COLLATE "C",
  finished_at bigint,
  PRIMARY KEY (msg_key, step)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX webhook_delivery_by_turn ON webhook_delivery (account, next_at, msg_key, step) WHERE state = 'pending';
CREATE INDEX webhook_delivery_by_window ON webhook_delivery (give_up_at) WHERE state = 'pending';
CREATE INDEX webhook_delivery_by_owner ON webhook_delivery (owner, account) WHERE owner IS NOT NULL;
CREATE INDEX webhook_delivery_by_end ON webhook_delivery (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX webhook_delivery_failed ON webhook_delivery (msg_key, step) WHERE state = 'failed';
CREATE INDEX webhook_delivery_by_account ON webhook_delivery (account, msg_key, step);

-- Signing secrets, sealed.
CREATE TABLE webhook_secret (
  account    text COLLATE "C" NOT NULL,
  id         text COLLATE "C" NOT NULL,
  sealed     text NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  PRIMARY KEY (account, id)
);

-- Webhooks that answered 410.
CREATE TABLE webhook_off (
  account text COLLATE "C" PRIMARY KEY,
  url     text NOT NULL,
  reason  text NOT NULL,
  at      bigint NOT NULL
);

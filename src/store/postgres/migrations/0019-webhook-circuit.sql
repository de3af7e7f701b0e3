-- Receivers of webhooks that keep failing, as the node that calls them says it: one row for each account and node, there
-- from the failure that stopped the calls until the next success. at: the last failure. probe_at: the end of the pause.
CREATE TABLE webhook_circuit (
  account   text COLLATE "C" NOT NULL,
  node      text COLLATE "C" NOT NULL,
  opened_at bigint NOT NULL,
  at        bigint NOT NULL,
  probe_at  bigint NOT NULL,
  failures  integer NOT NULL,
  error     text NOT NULL,
  PRIMARY KEY (account, node)
);

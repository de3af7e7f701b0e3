-- Receivers of webhooks that keep failing, as the node that calls them says it: one row for each account and node, there
-- from the failure that stopped the calls until the next success. at: the last failure. probe_at: the end of the pause.
CREATE TABLE webhook_circuit (
  account   TEXT NOT NULL,
  node      TEXT NOT NULL,
  opened_at INTEGER NOT NULL,
  at        INTEGER NOT NULL,
  probe_at  INTEGER NOT NULL,
  failures  INTEGER NOT NULL,
  error     TEXT NOT NULL,
  PRIMARY KEY (account, node)
) WITHOUT ROWID;

-- A token is valid as long as its epoch is that of its account: raising the number ends all of them at once.
ALTER TABLE account ADD COLUMN token_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE token ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;
-- The newest tokens of an account, to find those beyond the limit.
CREATE INDEX token_by_account ON token (account, expires_at);

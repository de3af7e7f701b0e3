-- An operator who was invited has no token yet: `hash` is that of the code in his link, `expires_at` the end of the link, and
-- `lifetime_days` says how long his token will live. It is null for everybody who has one.
ALTER TABLE operator_token ADD COLUMN lifetime_days INTEGER;

-- What an operator recognises a session by; null in sessions from before.
ALTER TABLE session ADD COLUMN opened_at INTEGER;
ALTER TABLE session ADD COLUMN used_at INTEGER;
ALTER TABLE session ADD COLUMN address TEXT;
ALTER TABLE session ADD COLUMN agent TEXT;

-- An account that was deleted. Its row keeps the id from being given again while messages under that name are kept.
ALTER TABLE account ADD COLUMN deleted_at INTEGER;

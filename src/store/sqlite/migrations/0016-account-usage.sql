-- What each account has, for its quotas: counted as rows come and go, because counting them for every upload takes longer
-- the more there are. Triggers, so that whatever deletes rows counts them too.
CREATE TABLE account_usage (
  account    TEXT PRIMARY KEY,
  forms      INTEGER NOT NULL DEFAULT 0,
  files      INTEGER NOT NULL DEFAULT 0,
  file_bytes INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;

INSERT INTO account_usage (account, files, file_bytes)
SELECT account, count(*), sum(bytes) FROM file GROUP BY account;
INSERT INTO account_usage (account, forms)
SELECT account, count(*) FROM form WHERE true GROUP BY account
ON CONFLICT DO UPDATE SET forms = excluded.forms;

CREATE TRIGGER file_added AFTER INSERT ON file BEGIN
  INSERT INTO account_usage (account, files, file_bytes) VALUES (NEW.account, 1, NEW.bytes)
  ON CONFLICT DO UPDATE SET files = files + 1, file_bytes = file_bytes + excluded.file_bytes;
END;
CREATE TRIGGER file_removed AFTER DELETE ON file BEGIN
  UPDATE account_usage SET files = files - 1, file_bytes = file_bytes - OLD.bytes WHERE account = OLD.account;
END;
CREATE TRIGGER form_added AFTER INSERT ON form BEGIN
  INSERT INTO account_usage (account, forms) VALUES (NEW.account, 1)
  ON CONFLICT DO UPDATE SET forms = forms + 1;
END;
CREATE TRIGGER form_removed AFTER DELETE ON form BEGIN
  UPDATE account_usage SET forms = forms - 1 WHERE account = OLD.account;
END;

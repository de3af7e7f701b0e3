-- What each account has, for its quotas: counted as rows come and go, because counting them for every upload takes longer
-- the more there are. Triggers, so that whatever deletes rows counts them too, a node of an older version as well.
CREATE TABLE account_usage (
  account    text COLLATE "C" PRIMARY KEY,
  forms      bigint NOT NULL DEFAULT 0,
  files      bigint NOT NULL DEFAULT 0,
  file_bytes bigint NOT NULL DEFAULT 0
);

-- What is written meanwhile would be counted neither here nor by a trigger.
LOCK TABLE file, form IN SHARE MODE;
INSERT INTO account_usage (account, files, file_bytes)
SELECT account, count(*), sum(bytes) FROM file GROUP BY account;
INSERT INTO account_usage (account, forms)
SELECT account, count(*) FROM form GROUP BY account
ON CONFLICT (account) DO UPDATE SET forms = excluded.forms;

-- The rows of one statement together, in the order of accounts: two sweeps at the same time do not lock each other out.
-- With the rights of the owner, because whoever adds a file need not be able to write here.
CREATE FUNCTION count_files() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_usage AS used (account, files, file_bytes)
    SELECT account, count(*), sum(bytes) FROM changed GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE
      SET files = used.files + excluded.files, file_bytes = used.file_bytes + excluded.file_bytes;
  ELSE
    INSERT INTO account_usage AS used (account, files, file_bytes)
    SELECT account, -count(*), -sum(bytes) FROM changed GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE
      SET files = used.files + excluded.files, file_bytes = used.file_bytes + excluded.file_bytes;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER file_added AFTER INSERT ON file
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();
CREATE TRIGGER file_removed AFTER DELETE ON file
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_files();

CREATE FUNCTION count_forms() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO account_usage AS used (account, forms)
    SELECT account, count(*) FROM changed GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE SET forms = used.forms + excluded.forms;
  ELSE
    INSERT INTO account_usage AS used (account, forms)
    SELECT account, -count(*) FROM changed GROUP BY account ORDER BY account
    ON CONFLICT (account) DO UPDATE SET forms = used.forms + excluded.forms;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER form_added AFTER INSERT ON form
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_forms();
CREATE TRIGGER form_removed AFTER DELETE ON form
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_forms();

-- With the rights of the owner, they name their search path: a temporary table of one of these names would come first otherwise.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION count_files() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION count_forms() SET search_path = %I, pg_temp', current_schema());
END
$$;

-- As on the other tables of accounts (0014): the role of an account sees its own row.
ALTER TABLE account_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON account_usage USING (account = current_setting('bongsu.accounts', true));

-- The second wall between accounts, see postgres/row-security.ts: whoever is not the owner of these tables sees and
-- writes the rows of the account in the setting bongsu.accounts, and none without it. The owner, which is the gateway
-- itself, is not held by it.
DO $$
DECLARE
  is_its     constant text := 'account = current_setting(''bongsu.accounts'', true)';
  -- Read once in a statement, not once for each row; and looked up, because a thousand accounts may be in it.
  is_of_some constant text :=
    '(SELECT jsonb_object(list, list) FROM string_to_array(current_setting(''bongsu.accounts'', true), '','') AS list) ? account';
  name       text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'token', 'request', 'message', 'job', 'report', 'report_queue', 'report_batch', 'file', 'registry', 'form',
    'webhook_delivery', 'webhook_secret', 'webhook_off'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY account ON %I USING (%s)', name, is_its);
  END LOOP;
  -- Requests and tokens of several accounts are stored together. They can be added, but not read, changed or deleted so.
  FOREACH name IN ARRAY ARRAY['token', 'request', 'message', 'job'] LOOP
    EXECUTE format('CREATE POLICY accounts ON %I FOR INSERT WITH CHECK (%s)', name, is_of_some);
  END LOOP;
  -- Their idempotency keys are looked up together too.
  EXECUTE 'ALTER TABLE idempotency ENABLE ROW LEVEL SECURITY';
  EXECUTE format('CREATE POLICY accounts ON idempotency USING (%s)', is_of_some);
END
$$;

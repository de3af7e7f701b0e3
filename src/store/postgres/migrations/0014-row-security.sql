-- The second wall between accounts, see postgres/row-security.ts: whoever is not the owner of these tables sees and
-- writes the rows of the accounts in the setting bongsu.accounts, and none without it. The owner, which is the gateway
-- itself, is not held by it. The setting is read once in a statement, not once for each row.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY[
    'token', 'request', 'message', 'job', 'report', 'report_queue', 'report_batch', 'idempotency', 'file', 'registry',
    'form', 'webhook_delivery', 'webhook_secret', 'webhook_off'
  ] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format(
      'CREATE POLICY account ON %I USING (account = ANY ((SELECT string_to_array(current_setting(%L, true), %L))::text[]))',
      name, 'bongsu.accounts', ',');
  END LOOP;
END
$$;

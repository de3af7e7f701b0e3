-- The functions of 0016 run with the rights of the owner. A temporary table comes first in the search path unless that is
-- named: under the name of ours, it would be written to instead, and its triggers would run with the rights of the owner.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION count_files() SET search_path = %I, pg_temp', current_schema());
  EXECUTE format('ALTER FUNCTION count_forms() SET search_path = %I, pg_temp', current_schema());
END
$$;

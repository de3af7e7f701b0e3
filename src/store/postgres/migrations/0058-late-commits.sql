-- Walks over requests in the order of their keys must not pass one that is committed late. Each promises how far it will go before it
-- goes there (src/store/postgres/key-walks.ts). A trigger, so that whatever stores requests takes part, a node of an older version as well.
CREATE TABLE key_walk (
  follower text COLLATE "C" PRIMARY KEY,
  -- The upper half of the number of an advisory lock.
  lock     bigint NOT NULL,
  promised text COLLATE "C" NOT NULL
);
INSERT INTO key_walk (follower, lock, promised)
SELECT 'index', 1651469825, msg_key FROM index_position UNION ALL
SELECT 'rollups', 1651469826, msg_key FROM rollup_position UNION ALL
SELECT 'texts', 1651469827, request_id FROM text_position;

-- The second in which a key was made: ten characters of five bits are its milliseconds.
CREATE FUNCTION second_of_key(request_key text) RETURNS bigint LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  ms bigint := 0;
BEGIN
  FOR place IN 1..10 LOOP
    ms := ms * 32 + strpos('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(request_key, place, 1)) - 1;
  END LOOP;
  RETURN least(4294967295, ms / 1000);
END
$$;

CREATE FUNCTION note_late_requests() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE
  oldest text COLLATE "C" := (SELECT min(request_id) FROM added);
BEGIN
  IF oldest IS NULL THEN RETURN NULL; END IF;
  -- What lies beyond a promise is met by its walk, which stays below this lock until the commit can be seen.
  PERFORM pg_advisory_xact_lock_shared(lock << 32 | second_of_key(beyond))
     FROM (SELECT lock, CASE WHEN oldest > promised THEN oldest
                             ELSE (SELECT min(request_id) FROM added WHERE request_id > promised) END AS beyond
             FROM key_walk) AS walk
    WHERE beyond IS NOT NULL;
  -- Statements of their own, which see what was promised before the lock was had.
  IF oldest > (SELECT max(promised) FROM key_walk) THEN RETURN NULL; END IF;
  INSERT INTO late_request (follower, request_id, stored_at)
  SELECT follower, request_id, accepted_at FROM key_walk JOIN added ON request_id <= promised WHERE follower <> 'texts'
  ON CONFLICT DO NOTHING;
  INSERT INTO text_left (request_id, look_at)
  SELECT request_id, accepted_at FROM key_walk JOIN added ON request_id <= promised WHERE follower = 'texts'
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
-- As in 0016: a temporary table of one of these names would come first otherwise.
DO $$
BEGIN
  EXECUTE format('ALTER FUNCTION note_late_requests() SET search_path = %I, pg_temp', current_schema());
END
$$;
CREATE TRIGGER request_added AFTER INSERT ON request
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION note_late_requests();

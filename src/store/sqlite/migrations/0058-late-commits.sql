-- Walks over requests in the order of their keys may have passed a key before its request is stored: the process stood still in between,
-- or the clock was set. There is one writer, so each request is stored either before a walk looks or behind where it stands.
CREATE TRIGGER request_passed AFTER INSERT ON request
WHEN NEW.request_id <= (SELECT msg_key FROM index_position) OR NEW.request_id <= (SELECT msg_key FROM rollup_position)
  OR NEW.request_id <= (SELECT request_id FROM text_position)
BEGIN
  INSERT OR IGNORE INTO late_request (follower, request_id, stored_at)
  SELECT 'index', NEW.request_id, NEW.accepted_at FROM index_position WHERE NEW.request_id <= msg_key;
  INSERT OR IGNORE INTO late_request (follower, request_id, stored_at)
  SELECT 'rollups', NEW.request_id, NEW.accepted_at FROM rollup_position WHERE NEW.request_id <= msg_key;
  INSERT OR IGNORE INTO text_left (request_id, look_at)
  SELECT NEW.request_id, NEW.accepted_at FROM text_position WHERE NEW.request_id <= text_position.request_id;
END;

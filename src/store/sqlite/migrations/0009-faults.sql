-- Who holds a step under which claim, and since when; and until when an attempt in doubt may be made again.
ALTER TABLE job ADD COLUMN claim TEXT;
ALTER TABLE job ADD COLUMN claimed_at INTEGER;
ALTER TABLE job ADD COLUMN repeat_until INTEGER;
-- phase 3: put off until due_at. What is ready (phase 0) is due whatever the wall clock says.
UPDATE job SET phase = 3 WHERE phase = 0 AND state = 'retrying';
CREATE INDEX job_put_off ON job (due_at) WHERE phase = 3;
CREATE INDEX job_in_doubt ON job (msg_key) WHERE state = 'unknown';

-- When a parked receipt is looked at again; the sender it names; and the last digits of its recipient, to be found by.
ALTER TABLE parked_receipt ADD COLUMN sender TEXT;
ALTER TABLE parked_receipt ADD COLUMN recipient_tail TEXT;
ALTER TABLE parked_receipt ADD COLUMN look_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX parked_receipt_by_look ON parked_receipt (look_at);
CREATE INDEX parked_receipt_by_age ON parked_receipt (received_at);
CREATE INDEX parked_receipt_by_carrier ON parked_receipt (carrier, id);
CREATE INDEX parked_receipt_by_recipient ON parked_receipt (carrier, recipient_tail) WHERE recipient_tail IS NOT NULL;

-- Whether a late success is told by a record of its own.
ALTER TABLE request ADD COLUMN tells_late INTEGER NOT NULL DEFAULT 0;

-- Events that could not be written, for the operator.
CREATE TABLE set_aside (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  reason TEXT NOT NULL,
  event  TEXT NOT NULL
);

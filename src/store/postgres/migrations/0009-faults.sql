-- Who holds a step under which claim, and since when; and until when an attempt in doubt may be made again.
ALTER TABLE job ADD COLUMN claim text;
ALTER TABLE job ADD COLUMN claimed_at bigint;
ALTER TABLE job ADD COLUMN repeat_until bigint;
-- phase 3: put off until due_at. What is ready (phase 0, no owner) is due whatever the wall clock says. The owner tells
-- apart what has no node to answer for it (postgres/owners.ts), because it is indexed already.
UPDATE job SET phase = 3, owner = '+' WHERE owner IS NULL AND state = 'retrying';
UPDATE job SET owner = '?' WHERE state = 'unknown';
CREATE INDEX job_put_off ON job (due_at) WHERE owner = '+';
CREATE INDEX job_in_doubt ON job (msg_key) WHERE owner = '?';

-- When a parked receipt is looked at again; the sender it names; and the last digits of its recipient, to be found by.
ALTER TABLE parked_receipt ADD COLUMN sender text;
ALTER TABLE parked_receipt ADD COLUMN recipient_tail text COLLATE "C";
ALTER TABLE parked_receipt ADD COLUMN look_at bigint NOT NULL DEFAULT 0;
CREATE INDEX parked_receipt_by_look ON parked_receipt (look_at);
CREATE INDEX parked_receipt_by_carrier ON parked_receipt (carrier, id);
CREATE INDEX parked_receipt_by_recipient ON parked_receipt (carrier, recipient_tail) WHERE recipient_tail IS NOT NULL;

-- Whether a late success is told by a record of its own.
ALTER TABLE request ADD COLUMN tells_late smallint NOT NULL DEFAULT 0;

-- What a node runs; JSON.
ALTER TABLE node ADD COLUMN profile text NOT NULL DEFAULT '{"mode":"","carriers":[],"channels":[]}';

-- Events that could not be written, for the operator.
CREATE TABLE set_aside (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     bigint NOT NULL,
  reason text NOT NULL,
  event  text NOT NULL
);

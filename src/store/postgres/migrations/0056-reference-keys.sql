-- concurrently
-- References of a message: each day holds them nearly in the order of keys.
CREATE INDEX carrier_ref_keys ON carrier_ref USING brin (msg_key);

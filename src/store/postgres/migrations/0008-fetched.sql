-- When the client acknowledged the batch that held the record.
ALTER TABLE report ADD COLUMN fetched_at bigint;

-- The trace of the client that a request belongs to.
ALTER TABLE request ADD COLUMN traceparent text;
ALTER TABLE report ADD COLUMN traceparent text;
ALTER TABLE reservation ADD COLUMN traceparent text;

-- What senders name their messages by: a reference for each recipient, where it differs from the request's, and a group.
ALTER TABLE message ADD COLUMN ref TEXT;
ALTER TABLE request ADD COLUMN group_key TEXT;
ALTER TABLE report ADD COLUMN group_key TEXT;

-- What senders name their messages by: a reference for each recipient, where it differs from the request's, and a group.
ALTER TABLE message ADD COLUMN ref text;
ALTER TABLE request ADD COLUMN group_key text;
ALTER TABLE report ADD COLUMN group_key text;

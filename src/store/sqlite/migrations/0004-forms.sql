-- Message forms: the entries of a flow, as the client gave them.
CREATE TABLE form (
  account  TEXT NOT NULL,
  form_id  TEXT NOT NULL,
  entries  TEXT NOT NULL,
  saved_at INTEGER NOT NULL,
  PRIMARY KEY (account, form_id)
) WITHOUT ROWID;

-- Message forms: the entries of a flow, as the client gave them.
CREATE TABLE form (
  account  text COLLATE "C" NOT NULL,
  form_id  text COLLATE "C" NOT NULL,
  entries  text NOT NULL,
  saved_at bigint NOT NULL,
  PRIMARY KEY (account, form_id)
);

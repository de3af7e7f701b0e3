-- Recipients who opted out, see domain/delivery/opt-out.ts. `number` is what they are found by: a keyed hash where there is
-- a data key. An entry that has ended stays as proof.
CREATE TABLE opt_out (
  id        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account   text COLLATE "C" NOT NULL,
  number    text COLLATE "C" NOT NULL,
  recipient text NOT NULL,
  sender    text COLLATE "C" NOT NULL,
  covers    text COLLATE "C" NOT NULL,
  source    text,
  since_at  bigint NOT NULL,
  since_way text NOT NULL,
  since_by  text NOT NULL,
  ended_at  bigint,
  ended_way text,
  ended_by  text
);
CREATE INDEX opt_out_by_number ON opt_out (account, number);
CREATE INDEX opt_out_by_account ON opt_out (account, id);
CREATE INDEX opt_out_by_end ON opt_out (ended_at) WHERE ended_at IS NOT NULL;

-- Which accounts have a list, and what its entries cover: all that most sends need to know of it.
CREATE TABLE opt_out_list (
  account text COLLATE "C" NOT NULL,
  covers  text COLLATE "C" NOT NULL,
  PRIMARY KEY (account, covers)
);

-- As on the other tables of accounts (0014).
ALTER TABLE opt_out ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON opt_out USING (account = current_setting('bongsu.accounts', true));
ALTER TABLE opt_out_list ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON opt_out_list USING (account = current_setting('bongsu.accounts', true));

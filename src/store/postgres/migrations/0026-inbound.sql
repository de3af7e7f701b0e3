-- Messages that people send to numbers of accounts (port/inbound-store.ts).
CREATE TABLE inbound (
  msg_key     text COLLATE "C" PRIMARY KEY,
  account     text COLLATE "C",
  carrier     text COLLATE "C" NOT NULL,
  -- The carrier's own id; or, until it is certain that the carrier got our answer, a hash of what it says.
  carrier_id  text COLLATE "C",
  said        text COLLATE "C",
  occurrence  integer,
  recipient   text COLLATE "C" NOT NULL,
  sender      text NOT NULL,
  -- A hash of the sender, to find it by.
  sender_term text COLLATE "C" NOT NULL,
  content     text,
  keyword     text,
  received_at bigint NOT NULL,
  -- 1 while the client is to get it, 0 if it was not fetched in time; the batch it was handed out in.
  waiting     smallint,
  batch       text COLLATE "C",
  fetched_at  bigint,
  rules_at    bigint,
  reply_key   text COLLATE "C",
  reply_problem text
);
CREATE UNIQUE INDEX inbound_by_id ON inbound (carrier, carrier_id) WHERE carrier_id IS NOT NULL;
CREATE UNIQUE INDEX inbound_by_words ON inbound (carrier, said) WHERE said IS NOT NULL;
CREATE INDEX inbound_by_account ON inbound (account, msg_key);
CREATE INDEX inbound_by_sender ON inbound (sender_term, msg_key);
CREATE INDEX inbound_waiting ON inbound (account, msg_key) WHERE waiting = 1;
CREATE INDEX inbound_rules ON inbound (rules_at) WHERE rules_at IS NOT NULL;

-- The batch that an account holds.
CREATE TABLE inbound_batch (
  account    text COLLATE "C" PRIMARY KEY,
  batch_id   text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);

-- Parts of long messages, until all are there and the carrier has our answer to each.
CREATE TABLE inbound_part (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  carrier     text COLLATE "C" NOT NULL,
  recipient   text COLLATE "C" NOT NULL,
  sender      text NOT NULL,
  sender_term text COLLATE "C" NOT NULL,
  reference   text COLLATE "C" NOT NULL,
  part        smallint NOT NULL,
  total       smallint NOT NULL,
  alphabet    text NOT NULL,
  octets      text NOT NULL,
  received_at bigint NOT NULL,
  joined      smallint NOT NULL,
  confirmed   smallint NOT NULL
);
CREATE INDEX inbound_part_by_message ON inbound_part (carrier, recipient, reference);
CREATE INDEX inbound_part_by_age ON inbound_part (received_at);

-- A number, or a keyword of it, belongs to one account. No row has this kind yet, and the table is small: it is not built
-- concurrently.
CREATE UNIQUE INDEX registry_inbound ON registry (key) WHERE kind = 'inboundNumber';

-- As in 0014: whoever acts for an account sees its rows only.
ALTER TABLE inbound ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON inbound USING (account = current_setting('bongsu.accounts', true));
ALTER TABLE inbound_batch ENABLE ROW LEVEL SECURITY;
CREATE POLICY account ON inbound_batch USING (account = current_setting('bongsu.accounts', true));

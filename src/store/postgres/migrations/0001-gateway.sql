-- Times are milliseconds since 1970. Keys begin with their time and order as it does, byte by byte: hence COLLATE "C".
-- The cold tables are partitioned by day on the key itself; postgres/partitions.ts makes and drops the days. What
-- falls into no day goes to the default partition, so that an insert never fails for want of one.

CREATE TABLE account (
  id            text COLLATE "C" PRIMARY KEY,
  password_hash text NOT NULL,
  blocked       boolean NOT NULL,
  created_at    bigint NOT NULL,
  settings      text NOT NULL
);

-- Values this installation generated once.
CREATE TABLE remembered (
  name  text COLLATE "C" PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE token (
  hash       text COLLATE "C" PRIMARY KEY,
  account    text COLLATE "C" NOT NULL,
  expires_at bigint NOT NULL
);
CREATE INDEX token_by_expiry ON token (expires_at);

-- Cold: what was asked, once for all its recipients.
CREATE TABLE request (
  request_id  text COLLATE "C" PRIMARY KEY,
  account     text COLLATE "C" NOT NULL,
  accepted_at bigint NOT NULL,
  ref         text,
  payment     text,
  flow        text NOT NULL
) PARTITION BY RANGE (request_id);
CREATE TABLE request_default PARTITION OF request DEFAULT;

-- Cold: one row a recipient; `state` is set when the whole message is over.
CREATE TABLE message (
  msg_key     text COLLATE "C" PRIMARY KEY,
  account     text COLLATE "C" NOT NULL,
  recipient   text NOT NULL,
  words       text,
  state       text,
  step        integer,
  finished_at bigint,
  history     text NOT NULL DEFAULT ''
) PARTITION BY RANGE (msg_key);
CREATE TABLE message_default PARTITION OF message DEFAULT;

-- Hot: one row a message on its way, gone when it is over.
-- phase: 0 ready (from due_at on), 1 claimed by `owner`, 2 waiting for a receipt; see store/phase.ts.
-- owner: NULL while the step is ready, then the node that claimed it, '' when that node is gone for good. The indexes
-- know a ready step by its owner and by nothing that the carrier's answer changes: writing the answer touches no index.
CREATE TABLE job (
  msg_key      text COLLATE "C" PRIMARY KEY,
  account      text COLLATE "C" NOT NULL,
  carrier      text COLLATE "C" NOT NULL,
  phase        smallint NOT NULL,
  due_at       bigint NOT NULL,
  state        text COLLATE "C" NOT NULL,
  step         integer NOT NULL,
  attempt      integer NOT NULL,
  owner        text COLLATE "C",
  submitted_at bigint,
  deadline_at  bigint NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX job_by_turn ON job (carrier, due_at, msg_key) WHERE owner IS NULL;
CREATE INDEX job_by_deadline ON job (deadline_at);
-- Who holds what, so that the steps of a dead node are found without reading those of the living.
CREATE INDEX job_by_owner ON job (owner) WHERE owner <> '';

-- The carrier's reference of an attempt. Kept after the end, for receipts that repeat or come late. A reference may
-- stand for several messages, since some carriers number from one again after a restart: the newest counts.
CREATE TABLE carrier_ref (
  carrier    text COLLATE "C" NOT NULL,
  ref        text COLLATE "C" NOT NULL,
  msg_key    text COLLATE "C" NOT NULL,
  step       integer NOT NULL,
  attempt    integer NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (carrier, ref, msg_key)
) PARTITION BY RANGE (msg_key);
CREATE TABLE carrier_ref_default PARTITION OF carrier_ref DEFAULT;

-- Receipts that came before the answer that names their reference.
CREATE TABLE parked_receipt (
  id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  carrier     text COLLATE "C" NOT NULL,
  ref         text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  event       text NOT NULL
);
CREATE INDEX parked_receipt_by_ref ON parked_receipt (carrier, ref);
CREATE INDEX parked_receipt_by_age ON parked_receipt (received_at);

-- Cold: the ledger of report records, for inquiry.
CREATE TABLE report (
  msg_key      text COLLATE "C" NOT NULL,
  step         integer NOT NULL,
  account      text COLLATE "C" NOT NULL,
  service_type text NOT NULL,
  msg_type     text NOT NULL,
  sent_at      bigint,
  reported_at  bigint NOT NULL,
  report_code  text NOT NULL,
  carrier      text,
  res_cnt      text,
  user_type    text,
  ref          text,
  is_last      smallint NOT NULL,
  PRIMARY KEY (msg_key, step)
) PARTITION BY RANGE (msg_key);
CREATE TABLE report_default PARTITION OF report DEFAULT;

-- Hot: records not fetched yet, in the order they came; `batch` is set while they are handed out. Numbers of
-- concurrent transactions become visible out of order: a batch is the rows that carry its name, never a range.
CREATE TABLE report_queue (
  seq         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account     text COLLATE "C" NOT NULL,
  msg_key     text COLLATE "C" NOT NULL,
  step        integer NOT NULL,
  is_last     smallint NOT NULL,
  reported_at bigint NOT NULL,
  batch       text COLLATE "C"
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX report_queue_by_account ON report_queue (account, batch, seq);

-- The batch an account holds; there is never more than one.
CREATE TABLE report_batch (
  account    text COLLATE "C" PRIMARY KEY,
  report_id  text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL
);

CREATE TABLE idempotency (
  account    text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  body_hash  text NOT NULL,
  response   text NOT NULL,
  created_at bigint NOT NULL,
  PRIMARY KEY (account, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

-- The nodes of the cluster, by the clock of the database.
CREATE TABLE node (
  id          text COLLATE "C" PRIMARY KEY,
  alive_until timestamptz NOT NULL
);

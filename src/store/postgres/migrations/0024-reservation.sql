-- Sends that wait for their time (port/reservation-store.ts). keys_at: the moment that the keys of its messages begin with.
-- expected, sent: recipients; delivered, failed: what became of those sent, as far as counted. source and name are sealed
-- where there is a data key; source goes when its text is removed.
CREATE TABLE reservation (
  resv_key   text COLLATE "C" PRIMARY KEY,
  account    text COLLATE "C" NOT NULL,
  status     text COLLATE "C" NOT NULL,
  send_at    bigint NOT NULL,
  keys_at    bigint NOT NULL,
  name       text,
  ref        text,
  payment    text,
  group_key  text,
  source     text,
  channels   text NOT NULL,
  is_ad      smallint NOT NULL,
  expected   integer NOT NULL,
  sent       integer NOT NULL,
  delivered  integer NOT NULL,
  failed     integer NOT NULL,
  created_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  ended_at   bigint
) WITH (fillfactor = 50);
CREATE INDEX reservation_by_account ON reservation (account, resv_key);
CREATE INDEX reservation_by_time ON reservation (send_at) WHERE status = 'PENDING';
CREATE INDEX reservation_by_turn ON reservation (account, send_at) WHERE status = 'PROCESSING';
CREATE INDEX reservation_by_end ON reservation (ended_at) WHERE ended_at IS NOT NULL;

-- Its recipients, a few dozen in a row: they become the messages of one request. recipients is JSON, sealed where there is a
-- data key, and empty once they have. total: how many; delivered, failed: as counted last; look_at: when they are counted again.
CREATE TABLE reservation_list (
  request_id  text COLLATE "C" PRIMARY KEY,
  resv_key    text COLLATE "C" NOT NULL,
  account     text COLLATE "C" NOT NULL,
  recipients  text NOT NULL,
  total       integer NOT NULL,
  delivered   integer NOT NULL,
  failed      integer NOT NULL,
  released_at bigint,
  look_at     bigint
);
CREATE INDEX reservation_list_by_reservation ON reservation_list (resv_key, request_id);
CREATE INDEX reservation_list_waiting ON reservation_list (resv_key, request_id) WHERE released_at IS NULL;
CREATE INDEX reservation_list_by_look ON reservation_list (look_at) WHERE look_at IS NOT NULL;

-- Requests of reservations. Their keys may be older than they are: who walks messages in the order of their keys may have passed
-- them, and finds them here.
CREATE TABLE late_request (
  follower   text COLLATE "C" NOT NULL,
  request_id text COLLATE "C" NOT NULL,
  stored_at  bigint NOT NULL,
  PRIMARY KEY (follower, request_id)
);
CREATE INDEX late_request_by_age ON late_request (follower, stored_at);

DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['reservation', 'reservation_list'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY account ON %I USING (account = current_setting(''bongsu.accounts'', true))', name);
  END LOOP;
END
$$;

-- What the nodes of a cluster share for a moment (port/cluster-store.ts). Unlogged: nothing waits for the disk or a standby,
-- and after a crash, or on another server, they are empty, which does no harm.

-- A bucket that all nodes take from: what was in it at filled_at (milliseconds), and when it is full again. key: a hash.
-- granted: what the last ask was given. No index but the key, so that an update stays on its page.
CREATE UNLOGGED TABLE budget (
  key       text COLLATE "C" PRIMARY KEY,
  tokens    double precision NOT NULL,
  filled_at bigint NOT NULL,
  full_at   bigint NOT NULL,
  granted   double precision NOT NULL
) WITH (fillfactor = 50);

-- How the rate of a carrier is divided between nodes, in parts a second.
CREATE UNLOGGED TABLE carrier_share (
  carrier     text COLLATE "C" NOT NULL,
  node        text COLLATE "C" NOT NULL,
  wanted      double precision NOT NULL,
  share       double precision NOT NULL,
  lasts_until timestamptz NOT NULL,
  PRIMARY KEY (carrier, node)
) WITH (fillfactor = 50);

-- What one node at a time does, and which; it has it as long as it is alive.
CREATE UNLOGGED TABLE duty (
  name text COLLATE "C" PRIMARY KEY,
  node text COLLATE "C" NOT NULL
);

-- What happens on a node while somebody watches on another; sealed where there is a data key.
CREATE UNLOGGED TABLE node_news (
  node    text COLLATE "C" PRIMARY KEY,
  news    text NOT NULL,
  told_at timestamptz NOT NULL
);

-- An operator has told the node to send nothing more; NULL otherwise. In milliseconds.
ALTER TABLE node ADD COLUMN draining_since bigint;

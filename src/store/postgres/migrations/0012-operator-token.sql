-- Named operators: the token of each, as a hash, with its role. A name is free again when its token has ended.
CREATE TABLE operator_token (
  id           text COLLATE "C" PRIMARY KEY,
  name         text NOT NULL,
  role         text NOT NULL,
  hash         text COLLATE "C" NOT NULL UNIQUE,
  created_at   bigint NOT NULL,
  created_by   text NOT NULL,
  expires_at   bigint NOT NULL,
  revoked_at   bigint,
  last_used_at bigint
);

-- Whose session it is; null for the admin token's own.
ALTER TABLE session ADD COLUMN operator_id text COLLATE "C";

-- Who it was; null where that was not recorded yet, and no id for the admin token and the command line.
ALTER TABLE audit ADD COLUMN name text;
ALTER TABLE audit ADD COLUMN operator_id text COLLATE "C";

-- Uploaded images. The bytes lie in a blob store under `content_hash`; several rows may name the same ones.
CREATE TABLE file (
  file_key     text COLLATE "C" PRIMARY KEY,
  account      text COLLATE "C" NOT NULL,
  service      text NOT NULL,
  kind         text NOT NULL,
  name         text NOT NULL,
  content_hash text COLLATE "C" NOT NULL,
  bytes        bigint NOT NULL,
  width        integer NOT NULL,
  height       integer NOT NULL,
  format       text NOT NULL,
  created_at   bigint NOT NULL,
  expires_at   bigint NOT NULL
);
CREATE INDEX file_by_content ON file (content_hash, expires_at);
CREATE INDEX file_by_expiry ON file (expires_at);

-- Uploaded images. The bytes lie in the file system under `content_hash`; several rows may name the same ones.
CREATE TABLE file (
  file_key     TEXT PRIMARY KEY,
  account      TEXT NOT NULL,
  service      TEXT NOT NULL,
  kind         TEXT NOT NULL,
  name         TEXT NOT NULL,
  content_hash TEXT NOT NULL,
  bytes        INTEGER NOT NULL,
  width        INTEGER NOT NULL,
  height       INTEGER NOT NULL,
  format       TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX file_by_content ON file (content_hash, expires_at);
CREATE INDEX file_by_expiry ON file (expires_at);

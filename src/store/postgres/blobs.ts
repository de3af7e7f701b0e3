/**
 * Blobs in PostgreSQL: a row of `blob` for each, with its bytes in chunks. No more than a chunk of one is in memory.
 *
 * A place is a row in the state `placed`, of which an index allows one for each hash. Every change of state is one statement:
 * of two nodes that move the same bytes one does it, and the other finds that it was done.
 */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { AsideBlob, BlobDraft, Blobs } from '../blobs.ts';
import { StoreFault } from '../store-fault.ts';
import { type Database, isSqlState, UNIQUE_VIOLATION } from './database.ts';

/** A row of this size is written and read far within the time of a call. */
const CHUNK_BYTES = 256 * 1024;
/** Rows of one statement. */
const AT_ONCE = 200;
/** Far longer than a request may take. */
const DRAFT_MAX_AGE = '1 hour';

// Base64, because values travel as text: half the size of PostgreSQL's own hexadecimal.
const BEGIN = `
  WITH begun AS (INSERT INTO blob (blob_id, state) VALUES (:id, 'draft') RETURNING blob_id)
  INSERT INTO blob_chunk (blob_id, seq, bytes) SELECT blob_id, 0, decode(:bytes, 'base64') FROM begun`;
const APPEND = `INSERT INTO blob_chunk (blob_id, seq, bytes) VALUES (:id, :seq, decode(:bytes, 'base64'))`;
const PLACE = `UPDATE blob SET state = 'placed', content_hash = :hash, chunks = :chunks WHERE blob_id = :id`;
const SET_ASIDE = `
  UPDATE blob SET state = 'aside' WHERE content_hash = $1 AND state = 'placed' RETURNING blob_id`;
// Only from aside: another node may have put it back meanwhile, and then it stays.
const PUT_BACK = `UPDATE blob SET state = 'placed' WHERE blob_id = :id AND state = 'aside'`;
const DESTROY = `DELETE FROM blob WHERE blob_id = $1 AND state = 'aside'`;
const DISCARD = `DELETE FROM blob WHERE blob_id = $1 AND state = 'draft'`;
const LEFT_ASIDE = `SELECT blob_id, content_hash FROM blob WHERE state = 'aside' ORDER BY began_at LIMIT $1`;
const CLEAR_DRAFTS = `
  DELETE FROM blob WHERE blob_id = ANY (ARRAY(
    SELECT blob_id FROM blob WHERE state = 'draft' AND began_at < now() - interval '${DRAFT_MAX_AGE}'
     LIMIT $1 FOR UPDATE SKIP LOCKED))`;
const FIND = `SELECT blob_id, chunks FROM blob WHERE content_hash = $1 AND state = 'placed'`;
const LIST = `
  SELECT content_hash FROM blob WHERE state = 'placed' AND content_hash > $1 ORDER BY content_hash LIMIT $2`;
const READ = `SELECT encode(bytes, 'base64') AS bytes FROM blob_chunk WHERE blob_id = $1 AND seq = $2`;

export function postgresBlobs(db: Database): Blobs {
  function asideBlob(contentHash: string, id: string): AsideBlob {
    const destroy = async () => {
      await db.query(DESTROY, [id]);
    };
    return {
      contentHash,
      async putBack() {
        if ((await moveToPlace(db, PUT_BACK, { id })) === 'taken') await destroy();
      },
      destroy,
    };
  }

  async function readChunk(id: string, seq: number): Promise<Buffer> {
    const [row] = await db.query(READ, [id, seq]);
    if (!row) throw new Error(`the bytes of blob ${id} are gone`);
    return Buffer.from(String(row.bytes), 'base64');
  }

  return {
    begin: async () => draftIn(db),
    async open(contentHash) {
      const [row] = await db.query(FIND, [contentHash]);
      if (!row) return undefined;
      const id = String(row.blob_id);
      // Here, so that a small blob is read whole, whatever happens to it afterwards.
      const first = await readChunk(id, 0);
      return Readable.from(
        chunksFrom(first, Number(row.chunks), seq => readChunk(id, seq)),
        {
          objectMode: false,
        },
      );
    },
    async *list() {
      let after = '';
      for (;;) {
        const rows = await db.query(LIST, [after, AT_ONCE]);
        for (const row of rows) yield String(row.content_hash);
        const last = rows.at(-1);
        if (!last) return;
        after = String(last.content_hash);
      }
    },
    async setAside(contentHash) {
      const [row] = await db.query(SET_ASIDE, [contentHash]);
      return row ? asideBlob(contentHash, String(row.blob_id)) : nothingAside(contentHash);
    },
    async leftAside() {
      const rows = await db.query(LEFT_ASIDE, [AT_ONCE]);
      return rows.map(row => asideBlob(String(row.content_hash), String(row.blob_id)));
    },
    async clearDrafts() {
      while ((await db.query(CLEAR_DRAFTS, [AT_ONCE])).count === AT_ONCE);
    },
  };
}

/** `taken`: another blob has the place. `gone`: what was to be moved is not there any more. */
async function moveToPlace(
  db: Database,
  statement: string,
  parameters: Readonly<Record<string, string | number>>,
): Promise<'moved' | 'taken' | 'gone'> {
  try {
    return (await db.query(statement, parameters)).count === 1 ? 'moved' : 'gone';
  } catch (error) {
    if (isSqlState(error, UNIQUE_VIOLATION)) return 'taken';
    throw error;
  }
}

function draftIn(db: Database): BlobDraft {
  const id = randomBytes(16).toString('hex');
  const hash = createHash('sha256');
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let chunks = 0;
  let sealed: string | undefined;
  let isPlaced = false;

  async function store(chunk: Buffer): Promise<void> {
    const seq = chunks++;
    const bytes = chunk.toString('base64');
    await (seq === 0 ? db.query(BEGIN, { id, bytes }) : db.query(APPEND, { id, seq, bytes }));
  }

  return {
    async write(chunk) {
      hash.update(chunk);
      waiting.push(chunk);
      waitingBytes += chunk.length;
      if (waitingBytes < CHUNK_BYTES) return;
      const bytes = Buffer.concat(waiting);
      const whole = bytes.length - (bytes.length % CHUNK_BYTES);
      for (let from = 0; from < whole; from += CHUNK_BYTES) {
        await store(bytes.subarray(from, from + CHUNK_BYTES));
      }
      waiting = [bytes.subarray(whole)];
      waitingBytes = bytes.length - whole;
    },
    async seal() {
      if (waitingBytes > 0 || chunks === 0) await store(Buffer.concat(waiting));
      waiting = [];
      sealed = hash.digest('hex');
      return sealed;
    },
    async place() {
      if (sealed === undefined) throw new Error('a draft is sealed before it is placed');
      const outcome = await moveToPlace(db, PLACE, { id, hash: sealed, chunks });
      if (outcome === 'gone') throw new Error(`draft ${id} was not there any more`);
      // Where the same bytes are in their place already, this stays a draft, and is discarded.
      isPlaced = outcome === 'moved';
    },
    async discard() {
      if (isPlaced || chunks === 0) return;
      try {
        await db.query(DISCARD, [id]);
      } catch (error) {
        // Nothing of the upload depends on it: `clearDrafts` finds it.
        if (!(error instanceof StoreFault)) throw error;
      }
    },
  };
}

async function* chunksFrom(
  first: Buffer,
  count: number,
  read: (seq: number) => Promise<Buffer>,
): AsyncGenerator<Buffer> {
  yield first;
  for (let seq = 1; seq < count; seq++) yield await read(seq);
}

function nothingAside(contentHash: string): AsideBlob {
  return { contentHash, async putBack() {}, async destroy() {} };
}

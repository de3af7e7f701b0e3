/** What the core has taken from the edge and what became of it, read from its database. */
import type { Client } from 'pg';
import type { UploadedFiles } from './messages.ts';

export interface CoreMessage {
  readonly msgKey: string;
  readonly serviceType: string;
  /** Null while it is on its way. */
  readonly reportCode: string | null;
  readonly carrier: string | null;
  readonly resCnt: string | null;
  /** While it is on its way: state and attempt, then for people what else its place in the queue is. */
  readonly waits: string | null;
}

/** By recipient. */
export type CoreLedger = ReadonlyMap<string, readonly CoreMessage[]>;

type Row = CoreMessage & { readonly recipient: string; readonly steps: number };

export async function readCoreLedger(client: Client): Promise<CoreLedger> {
  const { rows } = await client.query<Row>(
    `SELECT message.msg_key AS "msgKey", recipient, upper(request.flow::json -> 0 ->> 'channel') AS "serviceType",
            json_array_length(request.flow::json) AS steps, report_code AS "reportCode", report.carrier, res_cnt AS "resCnt",
            job.state || ' ' || job.attempt || ', phase ' || job.phase || ', due ' || job.due_at || ', owner ' ||
              coalesce(job.owner, '-') || ', history ' || message.history AS waits
       FROM message
       JOIN request ON request_id = substr(message.msg_key, 1, 29)
       LEFT JOIN report ON report.msg_key = message.msg_key
       LEFT JOIN job ON job.msg_key = message.msg_key
      ORDER BY message.msg_key`,
  );
  const ledger = new Map<string, CoreMessage[]>();
  for (const { recipient, steps, ...message } of rows) {
    // Fallback is the edge's: a flow here would be tried twice.
    if (steps !== 1) throw new Error(`${message.msgKey} has ${steps} steps in the core`);
    ledger.set(recipient, [...(ledger.get(recipient) ?? []), message]);
  }
  return ledger;
}

/** Messages in the core that name a file by its name at the edge, and how many files were uploaded to the core. */
export async function filesInCore(
  client: Client,
  { fileKey, media, imgUrl }: UploadedFiles,
): Promise<{ readonly strays: number; readonly uploaded: number }> {
  const strays = await client.query(
    'SELECT request_id FROM request WHERE flow LIKE ANY (SELECT $$%$$ || name || $$%$$ FROM unnest($1::text[]) AS name)',
    [[fileKey, media, imgUrl]],
  );
  const uploaded = await client.query('SELECT file_key FROM file');
  return { strays: strays.rows.length, uploaded: uploaded.rows.length };
}

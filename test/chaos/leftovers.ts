/**
 * What is still on its way when all trouble is over, read from the database itself.
 *
 * In doubt and never taken by a carrier: its submit was lost on the wire, or in the socket of a node that was killed. No
 * receipt will ever come, and the gateway may not send it again; it ends at its deadline. Everything else must end soon,
 * also what is in doubt and was taken, because its receipt tells.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import type { RecordingSmsc } from './recording-smsc.ts';
import { isWhole } from './verdict.ts';

export interface Leftover {
  readonly msgKey: string;
  readonly recipient: string;
  readonly state: string;
  readonly owner: string | null;
  readonly carrier: string;
  readonly attempt: number;
  readonly parts: string | null;
  /** As it is stored, for people. */
  readonly history: string;
}

/** Longer than the longest wait of the gateway: a link that is bound again after a minute and a quarter. */
const NOTHING_MOVES_MS = 120_000;
/** What a node had in hand when it was frozen may still be given back. */
const SURE_MS = 3_000;

export class Leftovers {
  readonly #client: Client;
  readonly #smscs: readonly RecordingSmsc[];

  readonly #nothingMovesMs: number;

  constructor(client: Client, smscs: readonly RecordingSmsc[], nothingMovesMs = NOTHING_MOVES_MS) {
    this.#client = client;
    this.#smscs = smscs;
    this.#nothingMovesMs = nothingMovesMs;
  }

  async list(): Promise<Leftover[]> {
    const { rows } = await this.#client.query<Leftover>(
      `SELECT job.msg_key AS "msgKey", message.recipient, job.state, job.owner, job.carrier, job.attempt, job.parts,
              message.history
         FROM job JOIN message ON message.msg_key = job.msg_key ORDER BY job.msg_key`,
    );
    return rows;
  }

  /** Resolves when only doubt is left that nothing can settle, or when nothing moves any more. */
  async settle(progress: (left: number) => void): Promise<{ unknown: Leftover[]; stuck: Leftover[] }> {
    let seen = '';
    let changedAt = performance.now();
    for (;;) {
      const left = await this.list();
      const stuck = left.filter(each => !this.#isUnknowable(each));
      progress(left.length);
      const now = left.map(({ msgKey, state, attempt }) => `${msgKey} ${state} ${attempt}`).join();
      if (now !== seen) {
        seen = now;
        changedAt = performance.now();
      }
      const stillMs = performance.now() - changedAt;
      if (stillMs > (stuck.length === 0 ? SURE_MS : this.#nothingMovesMs)) {
        return { unknown: left.filter(each => this.#isUnknowable(each)), stuck };
      }
      await pause(250);
    }
  }

  /** As if 25 hours had passed. True when they have ended by it. */
  async expire(steps: readonly Leftover[]): Promise<boolean> {
    const keys = steps.map(({ msgKey }) => msgKey);
    await this.#client.query('UPDATE job SET deadline_at = 0 WHERE msg_key = ANY ($1::text[])', [keys]);
    for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 100) {
      const left = await this.list();
      if (!left.some(({ msgKey }) => keys.includes(msgKey))) return true;
      await pause(100);
    }
    return false;
  }

  #isUnknowable({ state, recipient }: Leftover): boolean {
    return state === 'unknown' && !isWhole(this.#smscs, recipient.replace('+', ''));
  }
}

/** One run through the chain: load and trouble, rest, what is left, verdict. */
import { DatabaseSync } from 'node:sqlite';
import { LoadAccount } from '../harness/load.ts';
import { settled } from '../long-runs/leftovers.ts';
import {
  bugsOf,
  inScope,
  keepEvidence,
  loadUnderTrouble,
  type Progress,
  type RunOrder,
  setAsideIn,
} from '../long-runs/long-run.ts';
import { Pollers } from '../long-runs/pollers.ts';
import type { RunResult } from '../long-runs/verdict.ts';
import { startChain, WINDOW } from './chain.ts';
import { filesInCore, readCoreLedger } from './core-ledger.ts';
import { edgeLeftovers, expire } from './edge-leftovers.ts';
import { clientsOf, uploadFiles } from './senders.ts';
import { tracksOf } from './tracks.ts';
import { judge } from './verdict.ts';

export interface ChainResult extends RunResult {
  /** By the edge to the core. */
  readonly uploadedFiles: number;
  readonly troubles: ReadonlyMap<string, number>;
}

/** A flow of three steps can be unknown at each. */
const MOST_DEADLINES = 4;

/** `isRepeatable`: the edge relies on the Idempotency-Key of the core. */
export function runChain(
  order: RunOrder,
  isRepeatable: boolean,
  tell: (progress: Progress) => void,
): Promise<ChainResult> {
  return inScope('chain', async scope => {
    const chain = await startChain(scope, scope.directory, isRepeatable);
    const { edge, core } = chain;
    const url = await edge.isUp();
    const { token } = await LoadAccount.signIn(url);
    const uploads = await uploadFiles(url, token);
    const senders = clientsOf(edge, token, order.seed, uploads);
    const pollers = new Pollers(token);
    const deps = { senders, pollers, polled: [edge], tracks: tracksOf(chain), tell };
    const { troublemaker, tellLeft } = await loadUnderTrouble(scope, order, deps);
    const coreStore = await chain.openCoreStore();
    const edgeStore = new DatabaseSync(chain.edgeStore, { timeout: 10_000 });
    scope.after(() => edgeStore.close());
    const look = () => edgeLeftovers(edgeStore, () => readCoreLedger(coreStore));
    let { unknown, stuck } = await settled(look, tellLeft);
    const expired = [...unknown];
    for (let round = 0; unknown.length > 0 && stuck.length === 0 && round < MOST_DEADLINES; round++) {
      expire(edgeStore, unknown);
      ({ unknown, stuck } = await settled(look, tellLeft));
      expired.push(...unknown);
    }
    await pollers.finish();
    const ledger = await readCoreLedger(coreStore);
    const files = await filesInCore(coreStore, uploads);
    const verdict = judge(senders.sent, pollers.batches, ledger);
    // One trouble can make unknown what the edge had without an answer, and no more.
    const most = WINDOW * troublemaker.total;
    const count = verdict.unknown.length;
    const other = [
      ...(files.strays > 0 ? [`${files.strays} messages in the core name files of the edge`] : []),
      ...unknown.map(({ msgKey }) => `${msgKey} did not end at its deadline`),
      ...(count > most ? [`${count} are unknown, at most ${most} could be`] : []),
      ...pollers.violations,
      ...(await setAsideIn(coreStore)),
      ...(await bugsOf([edge, core])),
    ];
    const { directory } = scope;
    const troubles = troublemaker.counts;
    const result = { ...verdict, stuck, other, uploadedFiles: files.uploaded, troubles, directory };
    const { sent } = senders;
    keepEvidence(scope, { result, expired, sent, batches: pollers.batches, core: ledger });
    return result;
  });
}

/** One run through the chain: load and trouble, rest, what is left, verdict. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { bugsIn } from '../chaos/node-log.ts';
import { Pollers } from '../chaos/pollers.ts';
import { Troublemaker } from '../chaos/trouble.ts';
import { tokenOf } from '../harness/load.ts';
import { ANSWER_TIMEOUT_MS, type Chain, startChain, WINDOW } from './chain.ts';
import { type CoreLedger, filesInCore, readCoreLedger } from './core-ledger.ts';
import { EdgeLeftovers, type Leftover } from './edge-leftovers.ts';
import { Senders, uploadFiles } from './senders.ts';
import { coreStoreTrack, gatewayTrack, linkTrack } from './tracks.ts';
import { judge, type Verdict } from './verdict.ts';

export interface ChainOrder {
  readonly seed: number;
  readonly seconds: number;
  /** Requests a second; some have several recipients. */
  readonly rate: number;
  /** The edge relies on the Idempotency-Key of the core. */
  readonly isRepeatable: boolean;
}

export interface ChainResult extends Verdict {
  readonly stuck: readonly Leftover[];
  /** Of processes, batches, logs and stores. */
  readonly other: readonly string[];
  /** By the edge to the core. */
  readonly uploadedFiles: number;
  readonly troubles: ReadonlyMap<string, number>;
  readonly directory: string;
}

export interface Progress {
  readonly phase: string;
  readonly accepted: number;
  readonly left: number | undefined;
  readonly troubles: number;
}

/** A flow of three steps can be in doubt at each. */
const MOST_DEADLINES = 4;

export async function runChain(
  { seed, seconds, rate, isRepeatable }: ChainOrder,
  tell: (progress: Progress) => void,
): Promise<ChainResult> {
  const closers: (() => unknown)[] = [];
  const t = { after: (close: () => unknown) => void closers.push(close) };
  const directory = mkdtempSync(join(tmpdir(), 'bongsu-chain-'));
  try {
    const chain = await startChain(t, directory, isRepeatable);
    const { edge, core } = chain;
    const url = await edge.isUp();
    const token = await tokenOf(url);
    const uploads = await uploadFiles(url, token);
    const senders = new Senders(edge, token, seed, uploads);
    const pollers = new Pollers(token);
    const troublemaker = new Troublemaker(seed, tellInto(join(directory, 'trouble.log')));
    let phase = 'trouble';
    let left: number | undefined;
    const telling = setInterval(() => {
      const troubles = [...troublemaker.counts.values()].reduce((sum, count) => sum + count, 0);
      tell({ phase, accepted: senders.accepted, left, troubles });
    }, 1000);
    t.after(() => clearInterval(telling));

    const polling = pollers.run(edge);
    const sending = senders.run(rate);
    const tracks = tracksOf(chain).map(track => troublemaker.run(track));
    await pause(1000 * seconds);
    troublemaker.stop();
    await Promise.all(tracks);
    phase = 'rest';
    await senders.stop();
    await sending;
    const coreStore = await chain.openCoreStore();
    const leftovers = new EdgeLeftovers(chain.edgeStore, () => readCoreLedger(coreStore));
    t.after(() => leftovers.close());
    let { unknown, stuck } = await leftovers.settle(count => {
      left = count;
    });
    const expired = [...unknown];
    for (let round = 0; unknown.length > 0 && stuck.length === 0 && round < MOST_DEADLINES; round++) {
      leftovers.expire(unknown);
      ({ unknown, stuck } = await leftovers.settle(count => {
        left = count;
      }));
      expired.push(...unknown);
    }
    await pollers.areEmpty(1);
    pollers.stop();
    await polling;
    const ledger = await readCoreLedger(coreStore);
    const files = await filesInCore(coreStore, uploads);
    const other = [
      ...(files.strays > 0 ? [`${files.strays} messages in the core name files of the edge`] : []),
      ...unknown.map(({ msgKey }) => `${msgKey} did not end at its deadline`),
      ...pollers.violations,
      ...[edge, core].flatMap(({ crashes }) => crashes),
      ...(await setAsideIn(coreStore)),
      ...(await Promise.all([edge, core].map(async node => ({ name: node.name, code: await node.stop() }))))
        .filter(({ code }) => code !== 0)
        .map(({ name, code }) => `the ${name} ended with ${code}`),
      ...[edge, core].flatMap(({ logFile }) => bugsIn(logFile)),
    ];
    const verdict = judge(senders.sent, pollers.batches, ledger);
    other.push(...tooManyUnknown(verdict, troublemaker));
    const result = {
      ...verdict,
      stuck,
      other,
      uploadedFiles: files.uploaded,
      troubles: troublemaker.counts,
      directory,
    };
    keepEvidence(directory, { result, expired, senders, pollers, ledger });
    return result;
  } finally {
    for (const close of closers.reverse()) await close();
    for (const name of ['edge', 'core']) rmSync(join(directory, name), { recursive: true, force: true });
  }
}

function tracksOf({ edge, core, link, postgres }: Chain) {
  return [
    gatewayTrack('edge', edge),
    gatewayTrack('core', core),
    linkTrack(link, ANSWER_TIMEOUT_MS),
    ...(postgres.process ? [coreStoreTrack(postgres.process)] : []),
  ];
}

/** One trouble can leave in doubt what the edge had without an answer, and no more. */
function tooManyUnknown({ unknown }: Verdict, { counts }: Troublemaker): string[] {
  const troubles = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const most = WINDOW * troubles;
  return unknown.length > most ? [`${unknown.length} are unknown, at most ${most} could be`] : [];
}

async function setAsideIn(coreStore: Client): Promise<string[]> {
  const { rows } = await coreStore.query('SELECT reason, event FROM set_aside');
  return rows.map(row => `set aside: ${JSON.stringify(row)}`);
}

function tellInto(file: string): (line: string) => void {
  const startedAt = performance.now();
  const story: string[] = [];
  return line => {
    const at = ((performance.now() - startedAt) / 1000).toFixed(1);
    story.push(`${new Date().toISOString()} ${at} s ${line}`);
    writeFileSync(file, `${story.join('\n')}\n`);
  };
}

/** Everything that was told, taken and reported, by recipient. */
function keepEvidence(
  directory: string,
  found: {
    readonly result: ChainResult;
    readonly expired: readonly Leftover[];
    readonly senders: Senders;
    readonly pollers: Pollers;
    readonly ledger: CoreLedger;
  },
): void {
  const { result, expired, senders, pollers, ledger } = found;
  const write = (name: string, value: unknown) =>
    writeFileSync(join(directory, name), JSON.stringify(value, undefined, 1));
  write('result.json', { ...result, troubles: [...result.troubles], codes: [...result.codes] });
  write('expired.json', expired);
  write('sent.json', Object.fromEntries(senders.sent));
  write('batches.json', Object.fromEntries(pollers.batches));
  write('core.json', Object.fromEntries(ledger));
}

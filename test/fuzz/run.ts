/** One run of the fuzzer: for each engine a gateway, and on it one target after the other. */

import { startPostgres } from '../harness/postgres.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { readCorpus, type Saved } from './corpus.ts';
import { convict, LONGEST_TURN_MS, LongTurns } from './long-turns.ts';
import { minimised } from './minimise.ts';
import { type Engine, Room } from './room.ts';
import type { Input, PreparedTarget, Target } from './target.ts';

export interface FuzzOrder {
  readonly seed: number;
  /** Of all targets together, on all engines at the same time. */
  readonly seconds: number;
  readonly targets: readonly Target[];
  readonly engines: readonly Engine[];
}

export interface Row {
  readonly target: string;
  readonly engine: Engine;
  readonly inputs: number;
  readonly labels: ReadonlyMap<string, Input>;
  readonly longestTurnMs: number;
  readonly rssMb: number;
}

export interface Finding {
  readonly target: string;
  readonly engine: Engine;
  readonly what: string;
  readonly inputs: readonly Input[];
}

export interface FuzzResult {
  readonly rows: readonly Row[];
  readonly findings: readonly Finding[];
}

/** More than a gateway ever needed here; V8's own limit is on a part of it. */
const MOST_RSS_MB = 1024;
/** After so many the rest is more of the same. */
const MOST_FINDINGS = 20;

export type Tell = (progress: {
  readonly inputs: number;
  readonly findings: number;
  readonly at: string;
}) => void;

export async function runFuzz(order: FuzzOrder, tell: Tell): Promise<FuzzResult> {
  const rows: Row[] = [];
  const findings: Finding[] = [];
  const postgres = order.engines.includes('postgres') ? await startPostgres() : undefined;
  let inputs = 0;
  try {
    await Promise.all(order.engines.map(runEngine));
  } finally {
    await postgres?.stop();
  }
  return { rows, findings };

  async function runEngine(engine: Engine): Promise<void> {
    const room = await Room.open(engine, engine === 'postgres' ? postgres : undefined);
    try {
      for (const target of order.targets) {
        if (target.isOnce && engine !== order.engines[0]) continue;
        if (room.gateway.isAlive) rows.push(await runTarget(room, target));
      }
    } finally {
      await room.close();
    }
    // What comes to light only at the end.
    for (const what of room.gateway.troubles) report({ target: 'shutdown', engine, what, inputs: [] });
  }

  async function runTarget(room: Room, target: Target): Promise<Row> {
    const { engine, gateway } = room;
    const prepared = await target.prepare(room);
    const random = new SeededRandom(`${order.seed}/${target.name}`);
    const corpus = readCorpus(target.name);
    const turns = new LongTurns();
    const labels = new Map<string, Input>();
    const latest: Input[] = [];
    const until = performance.now() + (1000 * order.seconds) / order.targets.length;
    let count = 0;
    let longestTurnMs = 0;
    await gateway.longestTurn();
    gateway.turns.length = 0;

    const fresh = inputsOf(prepared, random, corpus);
    await Promise.all(Array.from({ length: target.concurrency }, work));
    const { cpuMs, rss } = await gateway.longestTurn();
    longestTurnMs = cpuMs;

    const groups = gateway.turns
      .filter(turn => turn.cpuMs > LONGEST_TURN_MS)
      .map(turn => turns.suspectsOf(turn));
    const convicted = await convict(gateway, prepared, target.concurrency, groups);
    for (const { inputs: guilty, cpuMs: took } of convicted) {
      finding(`a turn of the loop took ${Math.round(took)} ms of processor time`, guilty);
    }
    const rssMb = Math.round(rss / 2 ** 20);
    if (rssMb > MOST_RSS_MB) finding(`the process holds ${rssMb} MB`, latest);
    const illness = gateway.isAlive ? await room.illness() : 'the process has ended';
    if (illness !== undefined) finding(`afterwards: ${illness}`, latest);
    for (const what of gateway.troubles.splice(0)) finding(what, latest);
    await prepared.close();
    return { target: target.name, engine, inputs: count, labels, longestTurnMs, rssMb };

    async function work(): Promise<void> {
      while (performance.now() < until && gateway.isAlive && findings.length < MOST_FINDINGS) {
        const input = fresh();
        const end = turns.begin(input);
        latest.push(input);
        if (latest.length > 2 * target.concurrency) latest.shift();
        const { label, finding: what } = await prepared.run(input);
        end();
        count++;
        inputs++;
        if (!labels.has(label)) labels.set(label, input);
        if (what !== undefined && gateway.isAlive) await explain(`${label}: ${what}`, input);
        tell({ inputs, findings: findings.length, at: `${target.name} on ${engine}` });
      }
    }

    /** The same thing again with less, if it can be had. */
    async function explain(what: string, input: Input): Promise<void> {
      if (isKnown({ target: target.name, engine, what, inputs: [] })) return;
      finding(what, [input]);
      const small = await minimised(input, async smaller => {
        const again = await prepared.run(smaller);
        return `${again.label}: ${again.finding}` === what;
      });
      const found = findings.findIndex(each => each.what === what && each.inputs[0] === input);
      if (found >= 0) findings[found] = { target: target.name, engine, what, inputs: [small] };
    }

    function finding(what: string, guilty: readonly Input[]): void {
      report({ target: target.name, engine, what, inputs: guilty });
    }
  }

  /** The same thing once. */
  function report(found: Finding): void {
    if (!isKnown(found)) findings.push(found);
  }

  function isKnown(found: Finding): boolean {
    return findings.some(
      ({ target, engine, what }) => target === found.target && engine === found.engine && what === found.what,
    );
  }
}

/** First what is saved, then what is new; which one comes next is decided by the seed alone. */
function inputsOf(prepared: PreparedTarget, random: SeededRandom, corpus: readonly Saved[]): () => Input {
  const saved = corpus.map(({ input }) => input);
  let index = 0;
  return () => saved[index++] ?? prepared.next(random, saved);
}

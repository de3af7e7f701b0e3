/** Two nodes of the gateway on one PostgreSQL, in front of three SMSCs, with clients: the scene of chaos and failover. */
import { Client } from 'pg';
import { LoadAccount } from '../../harness/load.ts';
import { GatewayNode } from '../gateway-node.ts';
import { settled } from '../leftovers.ts';
import { bugsOf, keepEvidence, type RunScope, setAsideIn } from '../long-run.ts';
import { Pollers } from '../pollers.ts';
import { Senders } from '../senders.ts';
import type { RunResult } from '../verdict.ts';
import type { CarrierName } from './carrier-fates.ts';
import { expire, type JobLeftover, leftovers } from './leftovers.ts';
import { messagesOf } from './messages.ts';
import { networkFile } from './network-file.ts';
import { RecordingSmsc } from './recording-smsc.ts';
import { judge } from './verdict.ts';

export interface SceneResult extends RunResult {
  readonly unknown: readonly JobLeftover[];
  readonly stuck: readonly JobLeftover[];
}

const CARRIERS: readonly CarrierName[] = ['quick', 'slow', 'narrow'];
/** Longer than the longest wait of the gateway: a link that is bound again after 75 s. */
const NOTHING_MOVES_MS = 120_000;
const MOST_UNANSWERED = 300;
const ANSWER_WITHIN_MS = 30_000;
/** Shorter than a node is frozen. */
const KEYED_ANSWER_WITHIN_MS = 2_000;

/** `databases`: the URL of the database for each node, by the node's name. */
export async function openScene(scope: RunScope, seed: number, databases: Readonly<Record<string, string>>) {
  const smscs = CARRIERS.map(name => new RecordingSmsc(name, seed));
  const [quick = 0, slow = 0, narrow = 0] = await Promise.all(smscs.map(smsc => smsc.listen()));
  for (const smsc of smscs) scope.after(() => smsc.close());
  const ports = { quick, slow, narrow };
  const files = {
    whole: networkFile(ports, CARRIERS),
    reduced: networkFile(ports, ['quick', 'slow']),
  };
  const nodes: GatewayNode[] = [];
  for (const [name, url] of Object.entries(databases)) {
    const node = new GatewayNode(name, scope.directory, {
      BONGSU_DATABASE_URL: url,
      ...LoadAccount.ENV,
      BONGSU_STORE_TIMEOUT: '3s',
      BONGSU_LOG: 'info',
    });
    node.configure(files.whole);
    scope.after(() => node.abandon());
    nodes.push(node);
    node.start();
    await node.isUp();
  }
  const { token } = await LoadAccount.signIn((await nodes[0]?.isUp()) ?? '');
  const senders = new Senders({
    nodes,
    token,
    nextOrder: messagesOf(seed, nodes.length),
    mostUnanswered: MOST_UNANSWERED,
    answerWithinMs: ANSWER_WITHIN_MS,
    keyedAnswerWithinMs: KEYED_ANSWER_WITHIN_MS,
  });
  const pollers = new Pollers(token);

  /** After load and trouble: waits until nothing moves, stops the nodes and judges. `more` is added to the result. */
  async function end<More extends object>(
    databaseUrl: string,
    more: () => More,
    options: { patienceMs?: number; isStuckExpired?: boolean; tellLeft?: (left: number) => void } = {},
  ): Promise<SceneResult & More> {
    const { patienceMs = NOTHING_MOVES_MS, isStuckExpired = false, tellLeft } = options;
    const client = new Client(databaseUrl);
    await client.connect();
    scope.after(() => client.end());
    const { unknown, stuck } = await settled(() => leftovers(client, smscs, patienceMs), tellLeft);
    const hasExpired = await expire(client, isStuckExpired ? [...unknown, ...stuck] : unknown);
    await pollers.finish();
    const other = [
      ...(hasExpired ? [] : ['what was unknown did not end at its deadline']),
      ...pollers.violations,
      ...(await setAsideIn(client)),
      ...(await bugsOf(nodes)),
    ];
    const verdict = judge(senders.sent, pollers.batches, smscs);
    const { directory } = scope;
    const result = { ...verdict, unknown, stuck, other, directory, ...more() };
    const taken = smscs.map(smsc => [smsc.name, smsc.taken]);
    keepEvidence(scope, { result, sent: senders.sent, batches: pollers.batches, taken });
    return result;
  }

  return { nodes, smscs, files, senders, pollers, end };
}

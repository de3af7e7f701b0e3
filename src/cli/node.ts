/** `bongsu node …`: the nodes of the cluster, in what they differ, draining one before it is stopped, and forgetting one that is gone. */
import { type Command, InvalidArgumentError } from 'commander';
import type { Drift, NodeLine } from '../operations/nodes.ts';
import type { CallOperation } from '../operations/operations.ts';
import { sleep, systemClock } from '../platform/clock.ts';
import { Failure } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';

const LOOK_AGAIN_MS = 500;
const DEFAULT_WAIT_SECONDS = '60';
const MOST_WAIT_SECONDS = 86_400;

interface DrainOptions extends PlaceOptions {
  readonly wait: number;
}

export function addNodeCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('node').description('nodes of the cluster: list, drain, resume, forget');

  const list = operatorCommand(group.command('list'), 'list the nodes and the differences between them', [
    'node list',
    'node list --url https://gateway.example.com',
  ]);
  list.action((options: PlaceOptions) =>
    withTools(env, options, async ({ call, where }) => {
      const all = await call('GET /nodes', {});
      print(options, all, () => {
        if (all.nodes.length === 0) return `no gateway runs on ${where}`;
        const table = formatTable(
          ['node', 'host', 'pid', 'version', 'state', 'started', 'clock', 'in flight', 'carriers'],
          all.nodes.map(line => [
            line.node,
            line.host ?? '-',
            line.pid === null ? '-' : String(line.pid),
            line.version ?? '-',
            line.since === null ? line.state : `${line.state} since ${line.since}`,
            line.startedAt ?? '-',
            clockOf(line),
            String(line.inFlight),
            line.carriers.join(', ') || '-',
          ]),
        );
        return [table, ...all.drift.map(describeDrift)].join('\n');
      });
    }),
  );

  const drain = operatorCommand(
    group.command('drain').argument('<node>', 'name of the node, or of a host with one node'),
    'stop sending on a node, and wait until it can be stopped',
    ['node drain gateway-1', 'node drain gateway-1 --wait 300'],
  ).option(
    '--wait <seconds>',
    'how long to wait for pending answers; 0 does not wait',
    parseSeconds,
    parseSeconds(DEFAULT_WAIT_SECONDS),
  );
  drain.action((name: string, options: DrainOptions) =>
    withTools(env, options, async ({ call }) => {
      const { node } = await call('POST /nodes/{node}/drain', { node: name });
      const state = await drained(call, node, options.wait);
      print(options, { node, state }, () =>
        state === 'drained' ? `${node} is drained and may be stopped` : `${node} is ${state}`,
      );
      if (options.wait > 0 && state === 'draining') {
        throw new Failure(`${node} still waits for answers after ${options.wait} s`);
      }
    }),
  );

  const resume = operatorCommand(
    group.command('resume').argument('<node>', 'name of the node, or of a host with one node'),
    'resume sending on a drained node',
    ['node resume gateway-1'],
  );
  resume.action((name: string, options: PlaceOptions) =>
    withTools(env, options, async ({ call }) => {
      const { node } = await call('POST /nodes/{node}/resume', { node: name });
      print(options, { node, state: 'running' }, () => `${node} sends again`);
    }),
  );

  const forget = operatorCommand(
    group.command('forget').argument('<node>', 'name of the node'),
    'remove a node that is gone from the list; refused for a node that is alive',
    ['node forget gateway-1'],
  );
  forget.action((name: string, options: PlaceOptions) =>
    withTools(env, options, async ({ call }) => {
      const { node } = await call('POST /nodes/{node}/forget', { node: name });
      print(options, { node, state: 'forgotten' }, () => `${node} is removed from the list`);
    }),
  );
}

/** A node learns within a second that it is to drain, and tells within another how much it still waits for. */
const LEAST_WAIT_MS = 3000;

async function drained(call: CallOperation, node: string, waitSeconds: number): Promise<string> {
  const startedAt = systemClock.monotonic();
  let told = '';
  for (;;) {
    const passedMs = systemClock.monotonic() - startedAt;
    const line = (await call('GET /nodes', {})).nodes.find(each => each.node === node);
    const state = line?.state ?? 'gone';
    if (state === 'gone' || (state === 'drained' && passedMs >= LEAST_WAIT_MS)) return state;
    if (passedMs >= waitSeconds * 1000) return 'draining';
    const text = line?.inFlight
      ? `${node} waits for answers to ${line.inFlight} parts, at most ${waitSeconds} s`
      : `${node} is told to drain`;
    if (text !== told) process.stderr.write(`${text}\n`);
    told = text;
    await sleep(systemClock, LOOK_AGAIN_MS);
  }
}

function clockOf({ clockSkewMs, isClockWrong }: NodeLine): string {
  if (clockSkewMs === null) return '-';
  const skew = `${clockSkewMs >= 0 ? '+' : ''}${(clockSkewMs / 1000).toFixed(3)} s`;
  return isClockWrong ? `${skew}, wrong` : skew;
}

function describeDrift({ kind, name, groups }: Drift): string {
  const what = name === '' ? kind : `${kind} ${name}`;
  return `differs: ${what}: ${groups.map(group => group.join(', ')).join(' | ')}`;
}

function parseSeconds(text: string): number {
  const seconds = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(seconds <= MOST_WAIT_SECONDS))
    throw new InvalidArgumentError(`expected seconds from 0 to ${MOST_WAIT_SECONDS}`);
  return seconds;
}

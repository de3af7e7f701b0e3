/** `bongsu doctor` and `bongsu status`: what is wrong with an installation, and how it is doing. */
import type { Command } from 'commander';
import { ConfigProblems } from '../config/config.ts';
import type { Finding } from '../operations/health.ts';
import { systemClock } from '../platform/clock.ts';
import { Failure } from './failure.ts';
import { operatorCommand, type PlaceOptions, withConfigured, withTools } from './operator.ts';
import { formatPairs, formatTable, print } from './output.ts';
import type { Status } from './tools.ts';

export function addDoctorCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = operatorCommand(
    program.command('doctor'),
    'check configuration, store, disk, clocks, carriers, webhooks, forms and queue, with advice for each problem',
    ['doctor', 'doctor --json', 'doctor --url https://msg.example.com'],
  );
  command.action(async (options: PlaceOptions) => {
    const findings = await examine(env, options);
    print(options, findings, () => findings.map(lineOf).join('\n'));
    const problems = findings.filter(({ verdict }) => verdict === 'problem').length;
    if (problems > 0)
      throw new Failure(problems === 1 ? 'there is a problem' : `there are ${problems} problems`);
  });
}

export function addStatusCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = operatorCommand(
    program.command('status'),
    'show whether it is ready, how deep its queue is, and the state of its carriers',
    ['status', 'status --url https://msg.example.com'],
  );
  command.action((options: PlaceOptions) =>
    withConfigured(env, options, async ({ status, where }) => {
      const found = await status();
      print(options, { where, ...found, health: found.health ?? null }, () => statusText(where, found));
      if (found.health && !found.health.ready) throw new Failure(`not ready: ${found.health.reason}`);
    }),
  );
}

const UNKNOWN = { about: null, since: null, effect: '' } as const;

/** A configuration with problems, or a store that cannot be opened, is a finding like others. */
async function examine(env: NodeJS.ProcessEnv, options: PlaceOptions): Promise<readonly Finding[]> {
  try {
    return await withTools(env, options, async ({ call }) => (await call('GET /doctor', {})).findings);
  } catch (error) {
    if (options.url !== undefined) throw error;
    if (error instanceof ConfigProblems) {
      const advice = 'Correct it; see docs/configuration.md.';
      return error.problems.map(detail => ({
        ...{ area: 'configuration', verdict: 'problem' as const, detail, advice },
        ...UNKNOWN,
      }));
    }
    const { code, message } = error as NodeJS.ErrnoException;
    const [detail = '', ...advice] = message.split('\n').map(line => line.trim());
    const verdict = code === 'NO_DATABASE' ? 'warning' : 'problem';
    const said = { detail: `The store cannot be opened: ${detail}`, advice: advice.join(' ') };
    return [{ area: 'store', verdict, ...said, ...UNKNOWN }];
  }
}

const MARKS = { ok: 'ok     ', warning: 'WARNING', problem: 'PROBLEM' } as const;

function lineOf({ area, verdict, detail, effect, advice }: Finding): string {
  const found = effect === '' ? detail : `${detail} (${effect})`;
  // What carriers and receivers say must not send control sequences to the terminal.
  const line = `${MARKS[verdict]}  ${area.padEnd(13)}  ${found}`.replace(/\p{Cc}/gu, '?');
  return advice === '' ? line : `${line}\n${' '.repeat(24)}→ ${advice}`;
}

function statusText(where: string, { version, mode, health, queue, carriers }: Status): string {
  const { ready, putOff, claimed, waiting, oldestReadyAt } = queue;
  const age = oldestReadyAt === undefined ? 0 : Math.max(0, systemClock.now() - oldestReadyAt) / 1000;
  const away = health && health.store.state !== 'ok' ? health : undefined;
  const counted = away ? '; as it was last counted' : '';
  const facts = formatPairs({
    gateway: where,
    version: `${version} (${mode})`,
    ...(health && { ready: health.ready ? 'yes' : `no: ${health.reason}` }),
    ...(away && { store: `${away.store.state} since ${away.store.since}: ${away.store.detail}` }),
    queue: `${ready} ready (oldest ${age.toFixed(1)} s), ${claimed} claimed, ${waiting} waiting, ${putOff} put off${counted}`,
    ...(away && { 'in flight': `${away.inFlight} parts wait for an answer` }),
  });
  if (away) {
    const rows = away.carriers.map(({ name, state, detail }) => [name, away.node, state, detail]);
    return `${facts}\n\n${formatTable(['carrier', 'node', 'state', 'detail'], rows)}`;
  }
  if (carriers.length === 0) return `${facts}\n\nno carriers are configured; see docs/carriers.md`;
  const rows = carriers.map(({ name, node, state, paused, inFlight, window, detail }) => [
    name,
    node || '-',
    paused ? `${state}, paused` : state,
    `${inFlight}/${window}`,
    detail,
  ]);
  return `${facts}\n\n${formatTable(['carrier', 'node', 'state', 'in flight', 'detail'], rows)}`;
}

/**
 * `bongsu carrier …` and `bongsu route …`: carriers and routes, read from the configuration and the store, or of a running
 * gateway.
 */
import type { Command } from 'commander';
import { Failure } from './failure.ts';
import { operatorCommand, type PlaceOptions, withConfigured, withNewTools } from './operator.ts';
import { formatTable, print } from './output.ts';

interface ExplainOptions {
  readonly channel: string;
  readonly to: string;
  readonly account?: string;
}

export function addCarrierCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('carrier').description('carriers: list, pause, resume, reconnect, test');

  const list = operatorCommand(group.command('list'), 'list every carrier on every node', [
    'carrier list',
    'carrier list --json',
  ]);
  list.action((options: PlaceOptions) =>
    withConfigured(env, options, async ({ call }) => {
      const { carriers: lines } = await call('GET /carriers', {});
      print(options, lines, () => {
        if (lines.length === 0) return 'no carriers are configured; see docs/carriers.md';
        return formatTable(
          [
            'carrier',
            'kind',
            'node',
            'state',
            'in flight',
            'rate',
            'accepted',
            'throttled',
            'failed',
            'detail',
          ],
          lines.map(line => {
            const { name, kind, node, state, paused, inFlight, window, sent, throttled, detail, hint } = line;
            return [
              name,
              kind,
              node || '-',
              paused ? `${state}, paused` : state,
              `${inFlight}/${window}`,
              rateOf(line),
              String(sent.accepted ?? 0),
              String(throttled),
              String(failuresOf(sent, throttled)),
              hint === null ? detail : `${detail}; ${hint}`,
            ];
          }),
        );
      });
    }),
  );

  const pause = operatorCommand(
    group.command('pause').argument('<name>', 'carrier'),
    'pause a carrier on every node; its messages go to the next carrier of their route, or wait',
    ['carrier pause sky'],
  );
  pause.action((name: string, options: PlaceOptions) =>
    withNewTools(env, options, async ({ call }) => {
      await call('POST /carriers/{name}/pause', { name });
      print(options, { name, paused: true }, () => `${name} paused`);
    }),
  );

  const resume = operatorCommand(
    group.command('resume').argument('<name>', 'carrier'),
    'resume a paused carrier',
    ['carrier resume sky'],
  );
  resume.action((name: string, options: PlaceOptions) =>
    withNewTools(env, options, async ({ call }) => {
      await call('POST /carriers/{name}/resume', { name });
      print(options, { name, paused: false }, () => `${name} resumed`);
    }),
  );

  const reconnect = operatorCommand(
    group.command('reconnect').argument('<name>', 'carrier'),
    'make every node reconnect a carrier now, without waiting for its next attempt',
    ['carrier reconnect sky'],
  );
  reconnect.action((name: string, options: PlaceOptions) =>
    withConfigured(env, options, async ({ call }) => {
      await call('POST /carriers/{name}/reconnect', { name });
      print(options, { name, reconnect: true }, () => `${name}: every node retries within a second`);
    }),
  );

  const check = operatorCommand(
    group.command('test').argument('<name>', 'carrier'),
    'connect with the settings in bongsu.yaml, check that it answers, and disconnect',
    ['carrier test sky'],
  );
  check.action((name: string, options: PlaceOptions) =>
    withConfigured(env, options, async ({ call }) => {
      const result = await call('POST /carriers/{name}/test', { name });
      print(options, { name, ...result }, () => `${name}: ${result.detail}`);
      if (!result.isOk) throw new Failure(`${name} did not pass the test`);
    }),
  );
}

/** The configured rate, and the rate that the carrier was measured to accept. */
function rateOf({ rate, foundRate }: { readonly rate: number; readonly foundRate: number | null }): string {
  const allowed = rate === 0 ? 'no limit' : `${rate}/s`;
  return foundRate === null ? allowed : `${allowed}, takes ${Math.round(foundRate)}/s`;
}

/** A throttled submit has not failed: it is sent later. */
function failuresOf(sent: Readonly<Record<string, number>>, throttled: number): number {
  const { permanent = 0, temporary = 0, unknown = 0 } = sent;
  return permanent + unknown + Math.max(0, temporary - throttled);
}

export function addRouteCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('route').description('routes: which carrier a message goes to');

  const explain = operatorCommand(
    group.command('explain'),
    'show which carrier a message would go to, and why',
    [
      'route explain --channel sms --to 01012345678',
      'route explain --channel international --to +14155550123 --account shop',
    ],
  );
  explain
    .requiredOption('--channel <channel>', 'channel of the message')
    .requiredOption('--to <number>', 'recipient')
    .option('--account <id>', 'sending account');
  explain.action((options: PlaceOptions & ExplainOptions) =>
    withConfigured(env, options, async ({ call }) => {
      const { channel, to, account } = options;
      const explained = await call('GET /routes/explain', { channel, to, account });
      print(options, explained, () => {
        const rows = explained.considered.map(({ route, matches, why }) => [
          `routes[${route}]`,
          matches ? 'yes' : 'no',
          why,
        ]);
        const answer = `${explained.carrier ?? 'no carrier'}: ${explained.why}`;
        return rows.length === 0 ? answer : `${answer}\n\n${formatTable(['route', 'matches', 'why'], rows)}`;
      });
    }),
  );
}

/** `bongsu reservation …`: sends of all accounts that wait for their time. */
import { type Command, InvalidArgumentError } from 'commander';
import { RESERVATION_MOVES, type ReservationMove } from '../domain/reservation/reservation.ts';
import { Failure } from './failure.ts';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { formatTable, print } from './output.ts';
import type { OperatorReservation } from './tools.ts';

const DEFAULT_LIST = 50;
const MOST_LISTED = 200;

const MOVES: Readonly<Record<ReservationMove, string>> = {
  cancel: 'cancel a reservation; recipients that are in the queue already are still sent',
  stop: 'pause a reservation that is being sent; the rest of its recipients wait',
  resume: 'resume a reservation that was paused',
  release: 'send a reservation that a restore holds back, at its time or at once if that has passed',
};

export function addReservationCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('reservation').description('sends at a later time');

  const list = operatorCommand(group.command('list'), 'list reservations, newest first', [
    'reservation list',
    'reservation list --account shop --status PENDING',
  ]);
  list.option('--account <id>', 'only of this account');
  list.option(
    '--status <state>',
    'only in this state: PENDING, PROCESSING, STOPPED, HELD, COMPLETED, CANCELLED',
  );
  list.option('--limit <n>', 'maximum number of reservations to list', parseLimit, DEFAULT_LIST);
  list.action(
    (
      options: PlaceOptions & { readonly account?: string; readonly status?: string; readonly limit: number },
    ) =>
      withTools(env, options, async ({ reservations, where }) => {
        const filters = { account: options.account, status: options.status };
        const page = await reservations.list(filters, options.limit);
        print(options, page.reservations, () => {
          if (page.reservations.length === 0) return `no reservations in ${where}`;
          const rows = page.reservations.map(each => [
            ...[each.resvKey, each.account, each.status, each.resvSendTime],
            ...[each.expectedCnt, each.sentCnt, each.successCnt, each.failCnt].map(String),
            each.resvName ?? '',
          ]);
          const columns = ['resvKey', 'account', 'status', 'send time', 'recipients', 'sent', 'delivered'];
          return formatTable([...columns, 'failed', 'name'], rows);
        });
      }),
  );

  const show = operatorCommand(group.command('show <resvKey>'), 'show a reservation', [
    'reservation show 06C3Q8ZD9GYYRC3W1V5N2X4K7M',
  ]);
  show.action((resvKey: string, options: PlaceOptions) =>
    withTools(env, options, async ({ reservations }) => printOne(options, await reservations.show(resvKey))),
  );

  const change = operatorCommand(
    group.command('change <resvKey>'),
    'change the time or the name of a reservation that is PENDING or HELD',
    ['reservation change 06C3Q8ZD9GYYRC3W1V5N2X4K7M --at "2026-03-02 09:30:00"'],
  );
  change.option('--at <time>', 'when it is sent, in the time zone of the gateway');
  change.option('--name <name>', 'its name');
  change.action((resvKey: string, options: PlaceOptions & { readonly at?: string; readonly name?: string }) =>
    withTools(env, options, async ({ reservations }) => {
      const { at, name } = options;
      if (at === undefined && name === undefined) throw new Failure('give --at, --name, or both');
      printOne(options, await reservations.change(resvKey, { resvSendTime: at, resvName: name }));
    }),
  );

  for (const move of Object.keys(RESERVATION_MOVES) as ReservationMove[]) {
    const command = operatorCommand(group.command(`${move} <resvKey>`), MOVES[move], [
      `reservation ${move} 06C3Q8ZD9GYYRC3W1V5N2X4K7M`,
    ]);
    command.action((resvKey: string, options: PlaceOptions) =>
      withTools(env, options, async ({ reservations }) =>
        printOne(options, await reservations.move(resvKey, move)),
      ),
    );
  }
}

function printOne(options: PlaceOptions, reservation: OperatorReservation): void {
  print(options, reservation, () =>
    Object.entries(reservation)
      .filter(([name]) => name !== 'flow')
      .map(([name, value]) => `${name.padEnd(14)}${Array.isArray(value) ? value.join(', ') : (value ?? '-')}`)
      .join('\n'),
  );
}

function parseLimit(value: string): number {
  const limit = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (limit < 1 || limit > MOST_LISTED) {
    throw new InvalidArgumentError(`Expected a whole number from 1 to ${MOST_LISTED}.`);
  }
  return limit;
}

/** What the model and the simulation say, as the tables of docs/scale.md. */
import { type Costs, cellOf, FILL, MACHINES, planFor } from './scale-model.ts';
import { simulate } from './scale-simulation.ts';

const PEAKS = [1_000, 5_000, 10_000, 25_000, 50_000, 100_000];
const SIMULATED = { accounts: 5_000, seconds: 900, seed: 1 };

type Row = readonly string[];

export function scaleTables(
  costs: Costs,
): Readonly<Record<'costs' | 'cell' | 'plans' | 'simulation', string>> {
  const cell = cellOf(costs);
  return {
    costs: table(
      ['one message, from the request to the report', ''],
      [
        ['processor, engine thread of the node', `${costs.engineMicros} µs`],
        ['processor, rest of the node', `${costs.httpMicros} µs`],
        ['processor, PostgreSQL', `${costs.databaseMicros} µs`],
        ['log (WAL) of PostgreSQL', `${shown(costs.walBytes)} bytes`],
        ['kept in PostgreSQL, with indexes', `${shown(costs.storedBytes)} bytes`],
      ],
    ),
    cell: table(
      ['one cell', ''],
      [
        [`a node of ${MACHINES.nodeCores} cores`, `${shown(cell.perNode)} messages a second`],
        [
          `PostgreSQL with ${MACHINES.databaseCores} cores that writes ${MACHINES.walMegabytesPerSecond} MB/s`,
          `${shown(cell.perDatabase)} messages a second`,
        ],
        [`nodes, one of them to spare, at most ${MACHINES.mostNodes}`, String(cell.nodes)],
        ['capacity', `${shown(cell.capacity)} messages a second`],
        ['what gives out first', cell.limit],
      ],
    ),
    plans: table(
      [
        ...['peak, messages a second', 'cells', 'nodes of each', 'nodes'],
        ...['cores of databases', 'TB kept for 30 days'],
      ],
      PEAKS.map(peak => {
        const { cells, nodesOfACell, databaseCores, terabytesOfAMonth } = planFor(peak, costs);
        const counts = [cells, nodesOfACell, cells * nodesOfACell, databaseCores];
        return [shown(peak), ...counts.map(shown), terabytesOfAMonth.toFixed(1)];
      }),
    ),
    simulation: table(
      [
        ...[
          'peak, messages a second',
          'accounts placed by',
          'hottest cell',
          'coolest cell',
          'wait, 99 of 100',
        ],
        ...['longest wait after a failover', 'refused meanwhile', 'accounts it concerns'],
      ],
      PEAKS.flatMap(peak => (['load', 'hash'] as const).map(placement => simulated(peak, placement))),
    ),
  };

  function simulated(perSecond: number, placement: 'hash' | 'load'): Row {
    const { cells, capacityOfACell: capacity, mostOfACell: most } = planFor(perSecond, costs);
    const course = simulate({ ...SIMULATED, ...{ cells, capacity, most, perSecond, placement } });
    return [
      shown(perSecond),
      placement,
      percent(course.hottest),
      percent(course.coolest),
      course.waitP99 === undefined ? '' : `${course.waitP99.toFixed(1)} s`,
      `${course.longestWait.toFixed(0)} s`,
      percent(course.refused / course.arrived),
      percent(course.accountsHit),
    ];
  }
}

export const ASSUMED =
  `Machines are used to ${percent(MACHINES.use)}, cells filled to ${percent(FILL)}. ` +
  `${shown(SIMULATED.accounts)} accounts, ${SIMULATED.seconds} s, seed ${SIMULATED.seed}.`;

function table(head: Row, rows: readonly Row[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n');
}

function shown(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}

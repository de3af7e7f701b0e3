/**
 * How much a cell holds, from what one message costs. A cell is a cluster of its own: some nodes and one PostgreSQL with its
 * standby. Everything is per message on the whole way, from the request to the report. See docs/scale.md.
 */

/** Measured by `npm run bench scale -- --measure`; the ones in use are in bench/scale-costs.json. */
export interface Costs {
  /** Processor time of a node outside of its engine thread: HTTP threads, garbage collection. */
  readonly httpMicros: number;
  /** Processor time of the engine thread, of which a node has one. */
  readonly engineMicros: number;
  /** Processor time of PostgreSQL, all its processes. */
  readonly databaseMicros: number;
  /** What PostgreSQL writes to its log, and sends to its standby. */
  readonly walBytes: number;
  /** What a message takes on the disk of the database until it is deleted, with its indexes. */
  readonly storedBytes: number;
}

export interface Machines {
  readonly nodeCores: number;
  readonly databaseCores: number;
  /** What disk and standby of the database take, all day long. */
  readonly walMegabytesPerSecond: number;
  /** The share of each resource that is planned with; the rest is for peaks, retention, operators and backups. */
  readonly use: number;
  /** More nodes for one database are of no use: their connections and heartbeats cost it, too. */
  readonly mostNodes: number;
}

export const MACHINES: Machines = {
  nodeCores: 4,
  databaseCores: 16,
  walMegabytesPerSecond: 200,
  use: 0.6,
  mostNodes: 12,
};

export interface Cell {
  /** Messages a second that one node takes from accept to report. */
  readonly perNode: number;
  /** The same for the database, whatever the nodes do. */
  readonly perDatabase: number;
  /** One more than needed: a node that is upgraded or dead is not missed. */
  readonly nodes: number;
  readonly capacity: number;
  /** What gives out first. */
  readonly limit: 'processors of the database' | 'log of the database' | 'number of nodes';
}

export function cellOf(costs: Costs, machines: Machines = MACHINES): Cell {
  const { httpMicros, engineMicros, databaseMicros, walBytes } = costs;
  const { nodeCores, databaseCores, walMegabytesPerSecond, use, mostNodes } = machines;
  const perNode = use * Math.min(perSecond(engineMicros), nodeCores * perSecond(engineMicros + httpMicros));
  const byProcessors = use * databaseCores * perSecond(databaseMicros);
  const byLog = (use * walMegabytesPerSecond * 1e6) / walBytes;
  const perDatabase = Math.min(byProcessors, byLog);
  const nodes = Math.min(mostNodes, Math.ceil(perDatabase / perNode) + 1);
  const byNodes = (nodes - 1) * perNode;
  const ofDatabase = byProcessors < byLog ? 'processors of the database' : 'log of the database';
  return {
    perNode,
    perDatabase,
    nodes,
    capacity: Math.min(perDatabase, byNodes),
    limit: byNodes < perDatabase ? 'number of nodes' : ofDatabase,
  };
}

export interface Plan {
  readonly perSecond: number;
  readonly cells: number;
  readonly nodesOfACell: number;
  /** Messages a second that each of them takes, with as many nodes as planned and one of them missing. */
  readonly capacityOfACell: number;
  /** The same while none is missing. */
  readonly mostOfACell: number;
  readonly databaseCores: number;
  /** Of all databases together, without their standbys. */
  readonly terabytesOfAMonth: number;
}

/** Cells are planned to be this full: accounts do not share a load evenly. */
export const FILL = 0.8;
const SECONDS_OF_A_MONTH = 30 * 86_400;
/** Of the peak; traffic sleeps at night. */
const MEAN_OF_PEAK = 0.35;

export function planFor(perSecondAtPeak: number, costs: Costs, machines: Machines = MACHINES): Plan {
  const cell = cellOf(costs, machines);
  const cells = Math.max(1, Math.ceil(perSecondAtPeak / (cell.capacity * FILL)));
  const nodesOfACell = Math.min(cell.nodes, Math.ceil(perSecondAtPeak / cells / FILL / cell.perNode) + 1);
  const kept = perSecondAtPeak * MEAN_OF_PEAK * SECONDS_OF_A_MONTH;
  return {
    perSecond: perSecondAtPeak,
    cells,
    nodesOfACell,
    capacityOfACell: Math.min(cell.perDatabase, (nodesOfACell - 1) * cell.perNode),
    mostOfACell: Math.min(cell.perDatabase, nodesOfACell * cell.perNode),
    databaseCores: cells * machines.databaseCores,
    terabytesOfAMonth: (kept * costs.storedBytes) / 1e12,
  };
}

function perSecond(micros: number): number {
  return 1e6 / micros;
}

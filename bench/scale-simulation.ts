/**
 * Cells behind a router, for some minutes of a peak. Each account lives in one cell. Accounts differ a thousandfold in size
 * and send campaigns at times; a third of the way through, the database of one cell fails over, and at two thirds a node of
 * another dies. Everything is decided by the seed.
 *
 * A cell is a queue that is served as fast as its nodes and its database can. What comes while its database is away is refused (A920), and
 * sent again by its clients within a minute.
 */

export interface World {
  readonly cells: number;
  /** Messages a second that a cell takes with one of its nodes missing. */
  readonly capacity: number;
  /** The same while none is missing. */
  readonly most: number;
  /** Of all accounts together. */
  readonly perSecond: number;
  readonly accounts: number;
  readonly seconds: number;
  readonly seed: number;
  /** `hash`: the cell follows from the name. `load`: a new account goes where there is most room, and stays. */
  readonly placement: 'hash' | 'load';
}

export interface Course {
  readonly arrived: number;
  readonly served: number;
  readonly waiting: number;
  /** Answers A920; each is sent again later. */
  readonly refused: number;
  /** Still to be sent again at the end. */
  readonly toRepeat: number;
  /** What the hottest and the coolest cell are given on average, as a share of what they take with a node missing. */
  readonly hottest: number;
  readonly coolest: number;
  /** What a message waits until the cell has got to it, in seconds; of cells without a fault, if there are any. */
  readonly waitP99: number | undefined;
  /** The longest, in the cell that failed over. */
  readonly longestWait: number;
  /** Share of the accounts that live in the cell that failed over. */
  readonly accountsHit: number;
}

const TICK_SECONDS = 0.1;
const FAILOVER_SECONDS = 30;
const NODE_AWAY_SECONDS = 120;
const REPEAT_WITHIN_SECONDS = 60;
/** An account may send this share of what its cell takes; a larger client needs several accounts. */
const LARGEST_ACCOUNT = 0.5;
/** Campaigns: how often an account is in one, and how much more it sends then. A third of all messages are of campaigns. */
const CAMPAIGN = { share: 0.02, times: 25, changesEverySeconds: 10 };

export function simulate(world: World): Course {
  const { cells: count, capacity, seconds } = world;
  const random = mulberry32(world.seed);
  const accounts = accountsOf(world);
  const cellOf = place(world, accounts, random);
  const cells = Array.from({ length: count }, () => ({ queued: 0, given: 0, served: 0, refused: 0 }));
  const repeats = cells.map(() => new Float64Array(Math.ceil(REPEAT_WITHIN_SECONDS / TICK_SECONDS) + 1));
  const waits: { readonly wait: number; readonly messages: number }[] = [];
  const failoverAt = seconds / 3;
  const nodeDiesAt = (2 * seconds) / 3;
  const failing = 0;
  const losesNode = count - 1;
  let rates: Float64Array = new Float64Array(count);
  let longestWait = 0;

  const ticks = Math.round(seconds / TICK_SECONDS);
  for (let tick = 0; tick < ticks; tick++) {
    const now = tick * TICK_SECONDS;
    if (tick % (CAMPAIGN.changesEverySeconds / TICK_SECONDS) === 0) rates = ratesNow();
    for (const [index, cell] of cells.entries()) {
      const again = repeats[index] as Float64Array;
      const slot = tick % again.length;
      const arriving = poisson((rates[index] ?? 0) * TICK_SECONDS, random);
      const given = arriving + (again[slot] ?? 0);
      again[slot] = 0;
      cell.given += arriving;
      if (index === failing && isWithin(now, failoverAt, FAILOVER_SECONDS)) {
        cell.refused += given;
        // Spread over the minute, as clients do that wait as long as they are told, and some more.
        const share = given / (again.length - 1);
        for (let later = 1; later < again.length; later++) {
          const at = (tick + later) % again.length;
          again[at] = (again[at] ?? 0) + share;
        }
        continue;
      }
      const isShort = index === losesNode && isWithin(now, nodeDiesAt, NODE_AWAY_SECONDS);
      const able = isShort ? capacity : world.most;
      cell.queued += given;
      const served = Math.min(cell.queued, able * TICK_SECONDS);
      cell.queued -= served;
      cell.served += served;
      const wait = cell.queued / able;
      if (index === failing) longestWait = Math.max(longestWait, wait);
      else if (index !== losesNode) waits.push({ wait, messages: given });
    }
  }

  const use = cells.map(({ given }) => given / (capacity * seconds));
  return {
    arrived: sum(cells.map(({ given }) => given)),
    served: sum(cells.map(({ served }) => served)),
    waiting: sum(cells.map(({ queued }) => queued)),
    refused: sum(cells.map(({ refused }) => refused)),
    toRepeat: sum(repeats.map(slots => sum([...slots]))),
    hottest: Math.max(...use),
    coolest: Math.min(...use),
    waitP99: percentile(waits, 0.99),
    longestWait,
    accountsHit: cellOf.filter(cell => cell === failing).length / accounts.length,
  };

  /** What each cell is given in the next ten seconds. */
  function ratesNow(): Float64Array {
    const sums = new Float64Array(count);
    const usual = (1 - CAMPAIGN.share * CAMPAIGN.times * USUAL) / (1 - CAMPAIGN.share);
    for (const [index, rate] of accounts.entries()) {
      const isCampaign = random() < CAMPAIGN.share;
      const sent = Math.min(
        rate * (isCampaign ? CAMPAIGN.times * USUAL : usual),
        Math.max(rate, capacity * LARGEST_ACCOUNT),
      );
      const cell = cellOf[index] ?? 0;
      sums[cell] = (sums[cell] ?? 0) + sent;
    }
    return sums;
  }
}

/** So that campaigns are a third of everything. */
const USUAL = 1 / 3 / (CAMPAIGN.share * CAMPAIGN.times);

/** Messages a second of each account: the next largest is a little smaller, as with cities and words. */
function accountsOf({ accounts, perSecond, capacity }: World): number[] {
  const most = capacity * LARGEST_ACCOUNT;
  const weights = Array.from({ length: accounts }, (_, index) => 1 / (index + 1));
  let scale = perSecond / sum(weights);
  // What the largest may not send is sent by the others.
  for (let round = 0; round < 20; round++) {
    const total = sum(weights.map(weight => Math.min(weight * scale, most)));
    scale *= perSecond / total;
  }
  return weights.map(weight => Math.min(weight * scale, most));
}

function place(world: World, accounts: readonly number[], random: () => number): number[] {
  if (world.placement === 'hash') return accounts.map(() => Math.floor(random() * world.cells));
  // They come in any order of size.
  const order = accounts.map((_, index) => index).sort((one, other) => hashOf(one) - hashOf(other));
  const loads = new Float64Array(world.cells);
  const cellOf: number[] = Array(accounts.length).fill(0);
  for (const index of order) {
    const cell = loads.indexOf(Math.min(...loads));
    cellOf[index] = cell;
    loads[cell] = (loads[cell] ?? 0) + (accounts[index] ?? 0);
  }
  return cellOf;
}

function hashOf(index: number): number {
  return Math.imul(index + 1, 0x9e3779b1) >>> 0;
}

function isWithin(now: number, from: number, seconds: number): boolean {
  return now >= from && now < from + seconds;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function percentile(
  waits: readonly { readonly wait: number; readonly messages: number }[],
  share: number,
): number | undefined {
  const sorted = waits.toSorted((one, other) => one.wait - other.wait);
  const all = sum(sorted.map(({ messages }) => messages));
  let seen = 0;
  for (const { wait, messages } of sorted) {
    seen += messages;
    if (seen >= share * all) return wait;
  }
  return undefined;
}

/** Of a mean that is large here; its normal form is near enough. */
function poisson(mean: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
}

/** A small generator of random numbers, by Tommy Ettinger. */
function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

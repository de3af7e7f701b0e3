/** How a world comes to rest: trouble ends, time passes all deadlines, pollers fetch the rest, nodes stop. */
import type { ReservationState } from '../../src/domain/reservation/reservation.ts';
import { HOOK, POLLER, TURNER } from './accounts.ts';
import type { World } from './world.ts';

/** A step that is to be sent and has not moved for this long, while nothing is wrong, never will. */
const STANDING_STILL_MS = 100_000;
const SHORT_LEAP_MS = 1000;
const LONG_LEAP_MS = 60_000;
/** Past every deadline, retry and pause; where the wall clock was set back, it comes on top. */
const LONGEST_REST_MS = 3 * 3_600_000;
const RESERVED = {
  account: undefined,
  status: undefined,
  sendFrom: undefined,
  before: undefined,
  limit: 1000,
};
const RESERVATION_ENDS: readonly ReservationState[] = ['COMPLETED', 'CANCELLED'];
const START_LEAPS = 90;
const STOP_LEAPS = 60;

export async function comeToRest(world: World): Promise<void> {
  const standing = new Set<string>();
  await world.calm();
  await startAll(world);
  await sendAll(world, standing);
  await stopAllButOne(world);
  const endAt = world.clock.monotonic() + LONGEST_REST_MS + world.setBackMs;
  while (!(await isAtRest(world))) {
    if (world.clock.monotonic() > endAt) {
      world.ledger.violated('it does not come to rest', await whatIsLeft(world));
      break;
    }
    await sendAll(world, standing);
    await world.switchWebhooksOn();
    await world.leap(LONG_LEAP_MS);
  }
  await fetchAll(world);
  await stopAllButOne(world, 0);
  for (const { what, node } of world.calls.underWay) {
    if (!node.life.wasKilled) world.ledger.violated('a call is never answered', `${what} by ${node.name}`);
  }
}

/** Those that were stopping are let go, and everybody comes back. */
async function startAll(world: World): Promise<void> {
  for (let leaps = 0; leaps < START_LEAPS && !world.nodes.every(node => node.isServing); leaps++) {
    await world.leap(SHORT_LEAP_MS);
  }
  for (const node of world.nodes) {
    if (!node.isServing) world.ledger.violated('a node does not start', node.name);
  }
}

/** Time passes until nothing is left to be sent now: while nothing is wrong, a step cannot stand still. */
async function sendAll(world: World, standing: Set<string>): Promise<void> {
  let before = '';
  let movedAt = world.clock.monotonic();
  for (;;) {
    const steps = (await stepsToSend(world)).filter(step => !standing.has(step));
    if (steps.length === 0) return;
    const now = steps.join();
    if (now !== before) movedAt = world.clock.monotonic();
    before = now;
    if (world.clock.monotonic() - Math.max(movedAt, world.trustedAt) > STANDING_STILL_MS) {
      for (const step of steps) {
        standing.add(step);
        world.ledger.violated('a step stands still', step);
      }
      return;
    }
    await world.pass(SHORT_LEAP_MS);
  }
}

async function stepsToSend(world: World): Promise<string[]> {
  const { ready, claimed } = await world.store.queue.depth();
  if (ready + claimed === 0) return [];
  const views = await world.store.queue.peek(10_000);
  const waiting = views.filter(({ state }) => state === 'queued' || state === 'submitting');
  return waiting.map(({ msgKey, step, attempt, state }) => `${msgKey}/${step} ${state} ${attempt}`);
}

/** The first slot has every carrier; it stays. */
async function stopAllButOne(world: World, stays = 1): Promise<void> {
  const leaving = world.nodes.slice(stays).filter(node => !node.isGone);
  world.keepOnly(stays);
  for (let leaps = 0; leaps < STOP_LEAPS && world.nodes.slice(stays).some(node => !node.isGone); leaps++) {
    await world.leap(SHORT_LEAP_MS);
  }
  for (const node of leaving) {
    if (node.life.wasKilled) world.ledger.violated('a node does not stop', node.name);
  }
}

async function isAtRest(world: World): Promise<boolean> {
  return (await whatIsLeft(world)) === '';
}

async function whatIsLeft(world: World): Promise<string> {
  const steps = await world.store.queue.peek(3);
  const left = steps.map(({ msgKey, step, state }) => `${msgKey}/${step} ${state}`);
  const webhooks = await world.store.webhooks.countPending(10);
  if (webhooks > 0) left.push(`${webhooks} webhook deliveries`);
  const uncollected = world.countUnfetched(HOOK);
  if (uncollected > 0) left.push(`${uncollected} records for the webhook`);
  const receipts = [...world.peers.values()].reduce((sum, peer) => sum + peer.unacknowledged, 0);
  if (receipts > 0) left.push(`${receipts} receipts`);
  if (world.people.unacknowledged > 0) left.push(`${world.people.unacknowledged} inbound messages`);
  const unlisted = await world.people.unlisted(POLLER);
  if (unlisted.length > 0) left.push(`${unlisted.length} opt-outs by text`);
  const reserved = await world.store.reservations.list(RESERVED);
  if (reserved.some(({ status }) => !RESERVATION_ENDS.includes(status))) left.push('reservations');
  // A send that is stored late goes out by the nodes that still run, or by nobody.
  if (world.heldBack > 0) left.push(`${world.heldBack} calls of the store`);
  return left.join(', ');
}

async function fetchAll(world: World): Promise<void> {
  const [node] = world.nodes;
  if (!node) return;
  for (const account of [POLLER, TURNER]) {
    do await world.during(world.clients.poll(node, account));
    while (await world.during(world.clients.acknowledge(node, account)));
  }
}

/** How a world comes to rest: trouble ends, time passes all deadlines, pollers fetch the rest, nodes stop. */
import { POLLER, TURNER, type World } from './world.ts';

/** Two looks at the queue this far apart must not find the same step waiting to be sent. */
const LOOKS_APART_MS = 60_000;
const SHORT_LEAP_MS = 1000;
const LEAP_MS = 4000;
const LONG_LEAP_MS = 60_000;
/** Past every deadline, retry and pause, whatever the wall clock did. */
const LONGEST_REST_MS = 3 * 3_600_000;
const STOP_LEAPS = 60;

export async function comeToRest(world: World): Promise<void> {
  await world.calm();
  for (let leaps = 0; leaps < 10 && !(await isAtRest(world)); leaps++) await world.leap(SHORT_LEAP_MS);
  await lookForStuckSteps(world);
  await stopAllButOne(world);
  const endAt = world.clock.monotonic() + LONGEST_REST_MS;
  while (!(await isAtRest(world))) {
    if (world.clock.monotonic() > endAt) {
      world.ledger.violated('it does not come to rest', await whatIsLeft(world));
      break;
    }
    await world.leap(LONG_LEAP_MS);
  }
  await fetchAll(world);
  await stopAllButOne(world, 0);
  for (const { what, node } of world.clients.underWay) {
    if (!node.life.wasKilled) world.ledger.violated('a call is never answered', `${what} by ${node.name}`);
  }
}

/** A step that is to be sent now is sent, or it is in somebody's hands: it cannot stand still while nothing is wrong. */
async function lookForStuckSteps(world: World): Promise<void> {
  const first = await stepsToSend(world);
  if (first.size === 0) return;
  for (let ms = 0; ms < LOOKS_APART_MS; ms += LEAP_MS) await world.leap(LEAP_MS);
  const second = await stepsToSend(world);
  for (const step of second) {
    if (first.has(step)) world.ledger.violated('a step stands still', step);
  }
}

async function stepsToSend(world: World): Promise<Set<string>> {
  const views = await world.store.queue.peek(10_000);
  const waiting = views.filter(({ state }) => state === 'queued' || state === 'submitting');
  return new Set(waiting.map(({ msgKey, step, attempt, state }) => `${msgKey}/${step} ${state} ${attempt}`));
}

/** The first slot has every carrier; it stays. */
async function stopAllButOne(world: World, stays = 1): Promise<void> {
  world.keepOnly(stays);
  for (let leaps = 0; leaps < STOP_LEAPS && world.nodes.slice(stays).some(node => !node.isGone); leaps++) {
    await world.leap(SHORT_LEAP_MS);
  }
  for (const node of world.nodes.slice(stays)) {
    if (node.life.wasKilled && node.isAskedToStop) world.ledger.violated('a node does not stop', node.name);
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
  const receipts = [...world.peers.values()].reduce((sum, peer) => sum + peer.unacknowledged, 0);
  if (receipts > 0) left.push(`${receipts} receipts`);
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

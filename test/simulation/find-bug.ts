/**
 * Proves that the simulation finds a defect: copies the program, brings the defect back by a patch, and runs seeds until
 * one breaks a rule. The program itself has no switch for it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const FRESH_SEEDS_BELOW = 2 ** 31;
const COPIED = ['src', 'client', 'test/simulation', 'test/harness', 'package.json'];

/** What the old defects break; each is a patch of the same name. */
export const BUGS = {
  'leaked-claim': 'a step stands still',
  'mover-loses-claims': 'a step stands still',
  'foreign-carrier': 'refused though a node serves it',
  'late-reference': 'delivered, acknowledged and not told',
  'repeat-taken': 'submitted again though it was taken',
  'keys-ignored': 'two sets of messages under one key',
  'second-body-taken': 'a key is taken with a second body',
  'key-after-queue-limit': 'a repetition is refused',
  'cancelled-in-doubt': 'ended as not sent though a carrier may have it',
  'cancelled-begins': 'submitted after it was cancelled',
  'reservation-quota': 'more reservations than the account may have',
  'opt-out-unchecked': 'submitted to one who opted out',
  'inbound-confirmed-early': 'an inbound message is stored twice',
  'one-part-counts': 'reported as delivered and it was not',
  'restored-resent': 'submitted twice',
  'restored-repeated': 'submitted twice',
  'restored-reservation-begins': 'submitted twice',
  'parked-by-our-id': 'delivered, acknowledged and not told',
  'orphan-of-any-step': 'reported as delivered and it was not',
} as const;
export type BugName = keyof typeof BUGS;

export function isBug(name: string): name is BugName {
  return name in BUGS;
}

/** As many as fit into the time, in an order that changes from run to run and is printed; at least one. */
export async function findSome(steps: number, seconds: number): Promise<number> {
  const until = Date.now() + seconds * 1000;
  const left = Object.keys(BUGS).filter(isBug);
  let failed = 0;
  do {
    const [name] = left.splice(randomInt(left.length), 1);
    if (name) failed += await findBug(name, freshSeeds(), steps);
  } while (left.length > 0 && Date.now() < until);
  return failed === 0 ? 0 : 1;
}

/** Enough for the rarest of them. */
function freshSeeds(): string {
  const from = randomInt(FRESH_SEEDS_BELOW);
  return `${from}-${from + 2000}`;
}

/** 0 as soon as a seed of the range breaks the rule that the defect is known to break. */
export async function findBug(name: BugName, seeds: string, steps: number): Promise<number> {
  const copy = mkdtempSync(join(tmpdir(), 'bongsu-bug-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    execFileSync('git', ['apply', patchOf(name)], { cwd: copy });
    const command = join(copy, 'test/simulation/command.ts');
    const order = [...process.execArgv, command, '--seeds', seeds, '--steps', String(steps)];
    const found = await firstLine(order, line => line.startsWith('seed ') && line.includes(BUGS[name]));
    console.log(found === undefined ? `${name}: not found by seeds ${seeds}` : `${name}: found by ${found}`);
    return found === undefined ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

export function patchOf(name: BugName): string {
  return join(ROOT, 'test/simulation/bugs', `${name}.patch`);
}

/** Runs a program until it has printed such a line. */
async function firstLine(
  order: readonly string[],
  isWanted: (line: string) => boolean,
): Promise<string | undefined> {
  const child = spawn(process.execPath, order, { stdio: ['ignore', 'pipe', 'inherit'] });
  const isOver = new Promise(resolve => child.once('close', resolve));
  let wanted: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    if (!isWanted(line)) continue;
    wanted = line;
    break;
  }
  child.kill();
  await isOver;
  return wanted;
}

/**
 * Proves that the simulation finds a defect: copies the program, brings the defect back by a patch, and runs seeds until
 * one breaks a rule. The program itself has no switch for it.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPIED = ['src', 'client', 'test/simulation', 'test/harness', 'package.json'];

/** What the old defects break; each is a patch of the same name. */
export const BUGS = {
  'leaked-claim': 'a step stands still',
  'mover-loses-claims': 'a step stands still',
  'foreign-carrier': 'refused though a node serves it',
  'late-reference': 'delivered, acknowledged and not told',
  'repeat-taken': 'submitted again though it was taken',
} as const;
export type BugName = keyof typeof BUGS;

export function isBug(name: string): name is BugName {
  return name in BUGS;
}

/** 0 when a seed of the range breaks the rule that the defect is known to break. */
export function findBug(name: BugName, seeds: string, steps: number): number {
  const copy = mkdtempSync(join(tmpdir(), 'bongsu-bug-'));
  try {
    for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
    execFileSync('git', ['apply', join(ROOT, 'test/simulation/bugs', `${name}.patch`)], { cwd: copy });
    const command = join(copy, 'test/simulation/command.ts');
    const run = spawnSync(
      process.execPath,
      [...process.execArgv, command, '--seeds', seeds, '--steps', String(steps)],
      {
        encoding: 'utf8',
      },
    );
    const found = run.stdout
      .split('\n')
      .filter(line => line.startsWith('seed ') && line.includes(BUGS[name]));
    console.log(`${name}: ${found.length === 0 ? 'not found' : `found by ${found.length} seeds`}`);
    for (const line of found.slice(0, 10)) console.log(`  ${line}`);
    if (run.status !== 0 && found.length === 0) console.log(run.stdout, run.stderr);
    return found.length === 0 ? 1 : 0;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

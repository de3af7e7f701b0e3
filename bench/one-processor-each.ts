/**
 * Processes kept to one processor each. Two gateways are two machines in life; on one they would take from each other what
 * neither would miss there. Where the system cannot do it, they share.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { Client } from 'pg';

/** This process and what it starts from now on; undone by the function that it returns. */
export function keepThisTo(processor: number): () => void {
  keepTo(process.pid, String(processor));
  return () => keepTo(process.pid, ALL);
}

export function keepProcessTo(pid: number, processor: number): void {
  keepTo(pid, String(processor));
}

/** A PostgreSQL server with all its sessions; undone by the function that it returns. */
export async function keepServerTo(databaseUrl: string, processor: number): Promise<() => void> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const postmaster = parentOf(rows[0]?.pid ?? 0);
  const keepAll = (where: string) => {
    if (postmaster === undefined) return;
    for (const pid of [postmaster, ...childrenOf(postmaster)]) keepTo(pid, where);
  };
  keepAll(String(processor));
  await client.end();
  return () => keepAll(ALL);
}

const ALL = `0-${cpus().length - 1}`;

function keepTo(pid: number, processors: string): void {
  if (cpus().length < 2) return;
  // With its threads. A process that has ended in the meantime needs nothing.
  spawnSync('taskset', ['--all-tasks', '--pid', '--cpu-list', processors, String(pid)]);
}

function childrenOf(parent: number): number[] {
  const all = readdirSync('/proc').filter(name => /^\d+$/.test(name));
  return all.map(Number).filter(pid => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined;
  }
}

import { readFileSync } from 'node:fs';

/** How many files and sockets this process may have open. Infinity where there is no limit, or none is known. */
export function descriptorLimit(): number {
  let limits: string;
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return Number.POSITIVE_INFINITY;
  }
  const soft = /^Max open files +(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Bugs in a node's log: every error but those of a store that is away, which are expected here. */
import { readFileSync } from 'node:fs';

interface LogLine {
  readonly event?: string;
  readonly where?: string;
  readonly level?: unknown;
  readonly err?: { readonly type?: string; readonly message?: string };
}

const STORE_IS_AWAY = 'StoreFault';

export function bugsIn(logFile: string): string[] {
  const bugs = new Map<string, number>();
  for (const line of readFileSync(logFile, 'utf8').split('\n')) {
    const bug = bugIn(line);
    if (bug !== undefined) bugs.set(bug, (bugs.get(bug) ?? 0) + 1);
  }
  return [...bugs].map(([bug, times]) => `${logFile}: ${times} times ${bug}`);
}

function bugIn(line: string): string | undefined {
  if (!line.startsWith('{')) {
    // A start while the database is away fails, and says so.
    return line === '' || line.startsWith('bongsu: cannot start') ? undefined : line;
  }
  const { event, where, err } = JSON.parse(line) as LogLine;
  if (err === undefined || err.type === STORE_IS_AWAY) return undefined;
  return `${event} ${where ?? ''}: ${err.type} ${err.message}`;
}

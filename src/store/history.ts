/** A message's history is kept as lines of JSON, so that an entry is added without reading the others. */
import type { RouteChoice } from '../domain/delivery/routing.ts';
import { type HistoryEntry, routedAt } from '../domain/delivery/settlement.ts';

export function formatHistory(entries: readonly HistoryEntry[]): string {
  return entries.map(entry => `${JSON.stringify(entry)}\n`).join('');
}

export function parseHistory(lines: string): HistoryEntry[] {
  return lines
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as HistoryEntry);
}

/** The history of a message that was just accepted: where it will go, and why. */
export function firstLine(route: RouteChoice, at: number): string {
  return formatHistory([routedAt(0, route, at)]);
}

/**
 * Tells when a processor stood still: a process of the highest priority, kept to one processor, that wants to wake every
 * millisecond. If it is late, nobody ran there: the host of a virtual machine had the processor for others.
 *
 * Prints `ready`, and answers each line that it reads with the JSON of the pauses since the line before.
 */
import { createInterface } from 'node:readline';

/** Began and ended, in milliseconds since 1970. */
export type Pause = readonly [from: number, to: number];

/** A timer of a millisecond is up to one late by itself. */
const LATE_MS = 2.5;

let pauses: Pause[] = [];
let last = performance.now();
setInterval(() => {
  const now = performance.now();
  if (now - last > LATE_MS) pauses.push([performance.timeOrigin + last, performance.timeOrigin + now]);
  last = now;
}, 1);

process.stdout.write('ready\n');
for await (const _ of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(pauses)}\n`);
  pauses = [];
}
// Whoever asked is gone, and a process of this priority must not stay behind.
process.exit();

/** A finding once more: its inputs on a fresh gateway, and what comes of them. */
import { startPostgres } from '../harness/postgres.ts';
import { LONGEST_TURN_MS } from './long-turns.ts';
import { Room } from './room.ts';
import type { Finding } from './run.ts';
import { TARGETS } from './targets.ts';

const TIMES = 3;

/** Whether it was found again. */
export async function replay(
  { target: name, engine, inputs }: Finding,
  tell: (line: string) => void,
): Promise<boolean> {
  const target = TARGETS.find(each => each.name === name);
  if (!target) throw new Error(`there is no target ${name}`);
  const postgres = engine === 'postgres' ? await startPostgres() : undefined;
  const room = await Room.open(engine, postgres);
  let isFound = false;
  try {
    const prepared = await target.prepare(room);
    for (let time = 0; time < TIMES && room.gateway.isAlive; time++) {
      for (const input of inputs) {
        await room.gateway.longestTurn();
        const { label, finding } = await prepared.run(input);
        const { cpuMs } = await room.gateway.longestTurn();
        isFound ||= finding !== undefined || cpuMs > LONGEST_TURN_MS;
        tell(`${label}; turn of ${Math.round(cpuMs)} ms; ${finding ?? 'nothing found'}`);
      }
    }
    await prepared.close();
    const illness = room.gateway.isAlive ? await room.illness() : 'the process has ended';
    const troubles = [...room.gateway.troubles, ...(illness === undefined ? [] : [illness])];
    for (const trouble of troubles) tell(trouble);
    return isFound || troubles.length > 0;
  } finally {
    await room.close();
    await postgres?.stop();
  }
}

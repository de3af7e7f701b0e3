/** What answers took, told to the engine together: a note for each route and status a turn, and not one for each answer. */
import type { PlainValue, PlainValues } from '../../platform/thread-calls.ts';
import type { Observe } from '../measured.ts';
import type { PackedNote } from './packed-calls.ts';

export function createObservedNotes(note: (values: PlainValues) => void): Observe {
  let gathered: PlainValue[][] = [];

  return (route, status, seconds) => {
    const same = gathered.find(values => values[1] === route && values[2] === status);
    if (same) {
      same.push(seconds);
      return;
    }
    if (gathered.length === 0) setImmediate(send);
    gathered.push(['observed' satisfies PackedNote, route, status, seconds]);
  };

  function send(): void {
    const notes = gathered;
    gathered = [];
    for (const values of notes) note(values);
  }
}

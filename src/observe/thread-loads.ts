/** Counts what each thread says of its event loop: `engine`, and `http-1` and so on for those that speak HTTP. */
import type { Metrics } from './metrics.ts';

export type NoteLoad = (thread: string, lagSeconds: number, busySeconds: number) => void;

export function createNoteLoad({ loopLag, loopBusy }: Pick<Metrics, 'loopLag' | 'loopBusy'>): NoteLoad {
  return (thread, lagSeconds, busySeconds) => {
    loopLag.series({ thread }).observe(lagSeconds);
    loopBusy.inc({ thread }, busySeconds);
  };
}

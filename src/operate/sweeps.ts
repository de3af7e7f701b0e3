/** Runs the parts of a sweep. One that fails is reported and does not end the others; one with much to delete takes turns with them. */
import type { Sweeps } from '../store/store.ts';

export async function runSweeps(
  sweeps: Sweeps,
  onFailure: (name: string, error: unknown) => void,
): Promise<void> {
  let left = Object.entries(sweeps);
  while (left.length > 0) {
    const more: typeof left = [];
    for (const [name, sweep] of left) {
      try {
        if (await sweep()) more.push([name, sweep]);
      } catch (error) {
        onFailure(name, error);
      }
    }
    left = more;
  }
}

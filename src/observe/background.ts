/** Starts tasks of the table in domain/background-tasks.ts. */
import { BACKGROUND_TASKS, type BackgroundTaskName } from '../domain/background-tasks.ts';
import type { Clock } from '../platform/clock.ts';
import { Repeater } from '../platform/repeater.ts';

/** What runs in the background, and ends with its owner. */
export type Background = Pick<Repeater, 'start' | 'stop'>;

/** Part of Events, which itself has something to write in the background. */
export interface FailureEvents {
  failed(where: string, error: unknown): void;
}

interface Deps {
  readonly clock: Clock;
  readonly events: FailureEvents;
}

export function backgroundTask(
  { clock, events }: Deps,
  name: BackgroundTaskName,
  task: (nextIn: (ms: number) => void) => Promise<void>,
): Background {
  const { everyMs } = BACKGROUND_TASKS[name];
  return new Repeater({ clock, everyMs, task, onError: error => events.failed(name, error) });
}

/** Several tasks of one owner. */
export function backgroundTasks(
  deps: Deps,
  tasks: readonly (readonly [BackgroundTaskName, () => Promise<void>])[],
): { start(): void; stop(): Promise<void> } {
  const all = tasks.map(([name, task]) => backgroundTask(deps, name, task));
  return {
    start() {
      for (const each of all) each.start();
    },
    async stop() {
      await Promise.all(all.map(each => each.stop()));
    },
  };
}

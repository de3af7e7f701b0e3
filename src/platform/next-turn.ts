/**
 * Lets everybody else have a turn of the event loop. It asks for `setImmediate` when called, so a simulation, which has a loop of
 * its own, knows what still waits; that of node:timers/promises goes around it.
 */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve);
  });
}

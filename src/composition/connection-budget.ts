/** How many connections HTTP may have: the rest of the descriptors is for the store, carriers, webhooks and files. */
const SHARE_OF_HTTP = 3 / 4;
const MOST_CONNECTIONS = 10_000;
const LEAST_PASSED_ON = 16;

interface ConnectionBudget {
  readonly maxConnections: number;
  /** Requests that HTTP threads have passed on to the engine. Each takes two: both ends are in this process. */
  readonly mostPassedOn: number;
}

/** `given` is the setting of `maxConnections`, if there is one. */
export function connectionBudget(
  descriptors: number,
  threads: number,
  given: number | undefined,
): ConnectionBudget {
  const ofHttp = Math.floor(descriptors * SHARE_OF_HTTP);
  const ofClients = threads === 0 ? ofHttp : Math.floor((ofHttp * 2) / 3);
  const maxConnections = given ?? Math.min(MOST_CONNECTIONS, ofClients);
  const left = Math.floor((ofHttp - maxConnections) / 2);
  return { maxConnections, mostPassedOn: Math.max(LEAST_PASSED_ON, Math.min(left, maxConnections)) };
}

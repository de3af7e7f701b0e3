/**
 * Whether the store may lose what it acknowledged, looked at again while the gateway runs: settings change, and after a
 * failover another server answers.
 *
 * A standby that commits do not wait for counts only after a while: after a failover it takes some seconds until the new
 * server has a standby to wait for.
 */
import type { Clock } from '../platform/clock.ts';
import type { Durability, DurabilityRisk } from '../store/store.ts';

export interface DurabilityWatch {
  /** What was found last. If that is older than ten seconds it begins to ask, for those who look later. */
  look(): readonly DurabilityRisk[];
  /** Whether risks that have lasted forbid to accept messages, by what was found last. */
  isRefused(): boolean;
}

const LOOK_INTERVAL_MS = 10_000;
const STANDBY_GRACE_MS = 60_000;
const STANDBYS = 'synchronous_standby_names';

export function createDurabilityWatch(deps: {
  readonly store: { durability(): Promise<Durability> };
  readonly clock: Clock;
  /** False where the operator has said that losing messages is acceptable, and in the sandbox. */
  readonly isRequired: boolean;
  /** Called when the risks are others than before. */
  readonly onChange: (risks: readonly DurabilityRisk[]) => void;
  /** As found when the store was opened. */
  readonly found: readonly DurabilityRisk[];
}): DurabilityWatch {
  const { store, clock, isRequired, onChange } = deps;
  let risks = deps.found;
  let lookedAt = clock.monotonic();
  /** When each risk was first seen, by its setting. */
  const since = new Map(risks.map(({ setting }) => [setting, lookedAt]));
  let isAsking = false;

  return {
    look() {
      if (!isAsking && clock.monotonic() - lookedAt >= LOOK_INTERVAL_MS) void ask();
      return risks;
    },
    isRefused() {
      const now = clock.monotonic();
      return isRequired && risks.some(({ setting }) => now - (since.get(setting) ?? now) >= graceMs(setting));
    },
  };

  async function ask(): Promise<void> {
    isAsking = true;
    try {
      learn((await store.durability()).risks);
    } catch {
      // That the store is away is told elsewhere; what was known stays.
    }
    lookedAt = clock.monotonic();
    isAsking = false;
  }

  function learn(found: readonly DurabilityRisk[]): void {
    const isSame = namesOf(found) === namesOf(risks);
    for (const setting of since.keys()) {
      if (!found.some(risk => risk.setting === setting)) since.delete(setting);
    }
    for (const { setting } of found) {
      if (!since.has(setting)) since.set(setting, clock.monotonic());
    }
    risks = found;
    if (!isSame) onChange(found);
  }
}

function graceMs(setting: string): number {
  return setting === STANDBYS ? STANDBY_GRACE_MS : 0;
}

function namesOf(risks: readonly DurabilityRisk[]): string {
  return risks.map(({ setting, value }) => `${setting}=${value}`).join();
}

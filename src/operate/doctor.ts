/**
 * What is wrong with an installation, and what to do about it: examined on demand, area by area. A check that fails is
 * reported as a finding; a check that does not end is abandoned.
 */
import { AREAS, type Area, type Finding, type HealthView, type Scope } from '../operations/health.ts';
import { allUp, ownCarrierFindings } from './carrier-findings.ts';
import { type CheckDeps, createChecks } from './doctor-checks.ts';
import { type CheckResult, ok, problem, shortened, warning } from './finding.ts';

export type Doctor = (scope?: Scope) => Promise<readonly Finding[]>;

const PRESSING: readonly Area[] = [
  'certificate',
  'durability',
  'disk',
  'clock',
  'nodes',
  'carriers',
  'webhooks',
  'queue',
];
/** Time limit of a check. */
const PATIENCE_MS = 30_000;

export function createDoctor(
  deps: CheckDeps & {
    /** Health of the running node; a command has none. */
    readonly health?: () => Promise<HealthView>;
  },
): Doctor {
  const { clock, depth } = deps;
  const checks = createChecks(deps);

  return async (scope = 'all') => {
    const findings: Finding[] = [];
    const health = await deps.health?.();
    const isAway = health !== undefined && health.store.state !== 'ok';
    for (const area of scope === 'all' || isAway ? AREAS : PRESSING) {
      const all = isAway ? await withoutStore(area, health) : await answerOf(area, scope, health);
      for (const { verdict, detail, advice, about = null, since = null, effect = '' } of all) {
        findings.push({ area, verdict, detail, advice, about, since, effect });
      }
    }
    return findings;
  };

  /** While the store is away: what the node knows without it. Each call to the store would last until its time-out. */
  async function withoutStore(area: Area, health: HealthView): Promise<readonly CheckResult[]> {
    const { state, since, detail, advice } = health.store;
    switch (area) {
      case 'configuration':
      case 'certificate':
      case 'disk':
        return answerOf(area, 'all', health);
      case 'store': {
        const what = state === 'full' ? 'The disk of the store has been full' : 'The store has not answered';
        const rest =
          'Durability, clocks, nodes, webhooks and forms cannot be checked until the store answers';
        return [problem(`${what} since ${since}: ${detail}`, advice, { since }), warning(rest, '')];
      }
      case 'carriers': {
        const findings = health.carriers.flatMap(ownCarrierFindings);
        return findings.length > 0 ? shortened(findings) : [allUp(health.carriers.length)];
      }
      case 'queue': {
        const { ready } = health.queue;
        return [
          ok(
            `${ready} messages were ready when the queue was last counted; ${health.inFlight} parts wait for an answer`,
          ),
        ];
      }
      default:
        return [];
    }
  }

  async function answerOf(
    area: Area,
    scope: Scope,
    health: HealthView | undefined,
  ): Promise<readonly CheckResult[]> {
    const { promise: late, resolve } = Promise.withResolvers<readonly CheckResult[]>();
    const isPatient = area === 'store' && depth === 'thorough';
    const cancel = isPatient
      ? () => {}
      : clock.schedule(PATIENCE_MS, () =>
          resolve([
            problem(
              `The check did not end within ${PATIENCE_MS / 1000} s`,
              'Look at the findings above, and try again.',
            ),
          ]),
        );
    try {
      return await Promise.race([checks[area](scope, health), late]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [problem(`The check failed: ${reason.replaceAll(/\s+/g, ' ').slice(0, 300)}`, '')];
    } finally {
      cancel();
    }
  }
}

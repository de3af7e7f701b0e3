/** What `doctor` finds about the carriers: each that is not up, is paused, or has a setting that seems wrong. */
import { FULL_ADVICE } from '../deliver/carrier-health.ts';
import type { CarrierLine } from '../operations/carriers.ts';
import type { HealthView } from '../operations/health.ts';
import { type CheckResult, ok, problem, warning } from './finding.ts';

/** `isHeldUp`: its messages wait, or go through another carrier. */
export type CarrierFinding = CheckResult & { readonly about: string; readonly isHeldUp: boolean };

export function carrierFindings(line: CarrierLine): readonly CarrierFinding[] {
  const { name, node, state, detail, since, paused, hint } = line;
  // The node is a finding itself.
  if (state === 'gone') return [];
  const heldUp = { about: name, since, isHeldUp: true };
  if (node === '') {
    return [{ ...warning(`No node runs the carrier ${name}`, 'Reload the nodes with SIGHUP.'), ...heldUp }];
  }
  const trouble = state === 'up' ? undefined : carrierTrouble(name, state, detail);
  if (paused) {
    const pause = trouble ? `is paused, and it is ${state}: ${detail}` : 'is paused';
    return [
      {
        ...warning(
          `The carrier ${name} ${pause}`,
          'Resume it with "bongsu carrier resume" when the cause is removed.',
        ),
        ...(trouble && { verdict: trouble.verdict }),
        ...heldUp,
      },
    ];
  }
  if (trouble) return [{ ...trouble, ...heldUp }];
  if (hint === null) return [];
  const advice = 'Change its settings in bongsu.yaml and reload with SIGHUP, or ask the carrier.';
  return [{ ...warning(`The carrier ${name} is up: ${hint}`, advice), about: name, isHeldUp: false }];
}

/** Several nodes report the same of a carrier: one finding, with the earliest time. */
export function oncePerCarrier(findings: readonly CarrierFinding[]): readonly CarrierFinding[] {
  const first = new Map<string, CarrierFinding>();
  for (const each of findings) {
    const known = first.get(each.detail);
    if (!known || (each.since ?? '') < (known.since ?? '')) first.set(each.detail, each);
  }
  return [...first.values()];
}

/** While the store is away. A lane that cannot read its queue tells nothing about its carrier. */
export function ownCarrierFindings({
  name,
  state,
  detail,
}: HealthView['carriers'][number]): readonly CheckResult[] {
  const isSilent = ['idle', 'moving', 'stuck'].includes(state);
  return isSilent ? [] : [{ ...carrierTrouble(name, state, detail), about: name }];
}

function carrierTrouble(name: string, state: string, detail: string): CheckResult {
  const says = `The carrier ${name} is ${state}: ${detail}`;
  if (state === 'waiting')
    return warning(
      says,
      'Sending stopped after failures. The next message is a test: send one to try the carrier now.',
    );
  if (state === 'full') return problem(says, FULL_ADVICE);
  const say = state === 'slowed' || state === 'paused' ? warning : problem;
  return say(
    says,
    'Test it with "bongsu carrier test". When the cause is removed, "bongsu carrier reconnect" makes every node retry at once; see docs/carriers.md.',
  );
}

export function allUp(carriers: number): CheckResult {
  return ok(carriers === 1 ? 'The carrier is up' : `All ${carriers} carriers are up`);
}

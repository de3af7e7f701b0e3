/**
 * Checks a step against the registry, by the rules of its channel: one rule for accounts with enforcement
 * (`enforceRegistry`), and for some channels another for the rest.
 */
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import type { Reading } from '../request/fields.ts';
import type { Problem } from '../request/problem.ts';
import type { Registered } from './registered.ts';
import type { RegistryRef } from './registry.ts';

/** The entries that the check of a step looks up. */
export function wantedEntries(step: Step, isEnforced: boolean): RegistryRef[] {
  return ruleFor(step, isEnforced)?.wanted(step) ?? [];
}

/** Why an account may not send this step; see `RegistryRule`. */
export function registryProblem(
  step: Step,
  to: string | undefined,
  registered: Registered,
  isEnforced: boolean,
  reading: Reading,
): Problem | undefined {
  return ruleFor(step, isEnforced)?.problem(step, to, registered, reading);
}

function ruleFor(step: Step, isEnforced: boolean) {
  const { enforced, unenforced } = channelOf(step).registry;
  return isEnforced ? enforced : unenforced;
}

/** The entries that `completedStep` looks up. */
export function entriesForCompletion(step: Step): RegistryRef[] {
  return channelOf(step).registry.completion?.wanted(step) ?? [];
}

/** The step with what the registry knows about it, which reports show. */
export function completedStep(step: Step, registered: Registered): Step {
  return channelOf(step).registry.completion?.complete(step, registered) ?? step;
}

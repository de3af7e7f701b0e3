/**
 * What the registry refuses. Enforcement (`enforceRegistry`) is a setting of the account; some rules hold for every
 * account. The rules are the channels' own.
 */
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import type { Problem } from '../request/problem.ts';
import type { Registered } from './registered.ts';
import type { RegistryRef } from './registry.ts';

/** What the check of a step looks up, for an account with enforcement or without. */
export function wantedEntries(step: Step, isEnforced: boolean): RegistryRef[] {
  return ruleFor(step, isEnforced)?.wanted(step) ?? [];
}

/** Why an account may not send this step to this recipient. */
export function registryProblem(
  step: Step,
  to: string,
  registered: Registered,
  isEnforced: boolean,
): Problem | undefined {
  return ruleFor(step, isEnforced)?.problem(step, to, registered);
}

function ruleFor(step: Step, isEnforced: boolean) {
  const { enforced, unenforced } = channelOf(step).registry;
  return isEnforced ? enforced : unenforced;
}

/** What `completedStep` looks up. */
export function entriesForCompletion(step: Step): RegistryRef[] {
  return channelOf(step).registry.completion?.wanted(step) ?? [];
}

/** The step with what the registry knows about it, which reports show. */
export function completedStep(step: Step, registered: Registered): Step {
  return channelOf(step).registry.completion?.complete(step, registered) ?? step;
}

/** The registry rules that several channels share: a registered sender number, a registered sender profile. */
import { notRegistered, type Registered } from '../registry/registered.ts';
import type { RegistryRef } from '../registry/registry.ts';
import { isUnfilled } from '../request/field-kinds.ts';
import type { Reading } from '../request/fields.ts';
import type { Problem } from '../request/problem.ts';
import type { RegistryRule } from './channel-description.ts';

export function senderEntry(from: string): RegistryRef {
  return { kind: 'sender', key: from };
}

export function senderProblem(from: string, registered: Registered): Problem | undefined {
  return registered.find('sender', from)
    ? undefined
    : notRegistered('A327', 'from', 'a registered sender number', from);
}

export function profileEntry(senderKey: string): RegistryRef {
  return { kind: 'senderProfile', key: senderKey };
}

export function profileProblem(
  senderKey: string,
  registered: Registered,
  reading: Reading,
): Problem | undefined {
  return isUnfilled(senderKey, reading) || registered.find('senderProfile', senderKey)
    ? undefined
    : notRegistered('A502', 'senderKey', 'a registered sender profile', senderKey);
}

export const registeredSender: RegistryRule<{ readonly from: string }> = {
  wanted: ({ from }) => [senderEntry(from)],
  problem: ({ from }, _to, registered) => senderProblem(from, registered),
};

export const registeredProfile: RegistryRule<{ readonly senderKey: string }> = {
  wanted: ({ senderKey }) => [profileEntry(senderKey)],
  problem: ({ senderKey }, _to, registered, reading) => profileProblem(senderKey, registered, reading),
};

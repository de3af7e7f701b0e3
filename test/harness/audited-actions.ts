import { AUDITED_ACTIONS } from '../../src/operate/audit.ts';
import { OPERATIONS } from '../../src/operations/operations.ts';

/** Every action that the audit log knows. */
export function auditedActions(): string[] {
  const declared = [...OPERATIONS.values()].flatMap(({ audit }) => (audit ? [audit.action] : []));
  return [...new Set([...Object.keys(AUDITED_ACTIONS), ...declared])];
}

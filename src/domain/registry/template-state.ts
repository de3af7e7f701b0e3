/**
 * The approval of a template. Whoever runs the messenger or the network approves it; an operator records what they say:
 *
 *   draft ──▶ review ──▶ approved
 *     ▲         │  │         │
 *     └─────────┘  ▼         ▼
 *     ◀───────── rejected ◀──┘
 *
 * Only an approved template can be sent by an account that is held to its registry. An entry without a state is approved:
 * the registry had no states at first, and a file of entries need not have them.
 */
import { Problem } from '../request/problem.ts';

export const TEMPLATE_STATES = ['draft', 'review', 'approved', 'rejected'] as const;
export type TemplateState = (typeof TEMPLATE_STATES)[number];

/** What may follow each state by an operator's decision. */
export const NEXT_STATES: Readonly<Record<TemplateState, readonly TemplateState[]>> = {
  draft: ['review'],
  review: ['approved', 'rejected', 'draft'],
  // An approval can be taken back; to change the text, it must be.
  approved: ['rejected', 'draft'],
  rejected: ['draft', 'review'],
};

/** Only these can be edited: what is under review or in use stays as it was handed in. */
export const EDITABLE_STATES: readonly TemplateState[] = ['draft', 'rejected'];

export function stateOf(template: { readonly state?: TemplateState }): TemplateState {
  return template.state ?? 'approved';
}

/** Why a template in one state cannot be put into another. */
export function stateProblem(
  from: TemplateState,
  to: TemplateState,
  reason: string | undefined,
): Problem | undefined {
  if (!NEXT_STATES[from].includes(to)) {
    const possible = NEXT_STATES[from].join(' or ');
    return new Problem('A300', `"state" of a template in "${from}" can become ${possible}, not ${to}`);
  }
  if (to === 'rejected' && reason === undefined) {
    return new Problem('A300', '"reason" is required to reject a template');
  }
  return undefined;
}

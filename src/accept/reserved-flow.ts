/** What a reservation sends, ready to be checked for each recipient: when it is reserved, and again when its time has come. */
import type { Account } from '../domain/account/account.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { singleNames } from '../domain/request/field-names.ts';
import { type CompiledFlow, compileFlow, FORM, plainFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import type { ReservedSource } from '../domain/reservation/reservation.ts';
import type { Words } from '../domain/text/substitution.ts';
import type { Forms } from './forms.ts';
import type { SendGuards } from './guards.ts';

export interface ReservedFlow extends CompiledFlow {
  /** Why this recipient cannot get it. */
  recipientProblem(to: string, words: Words | undefined): Promise<Problem | undefined>;
}

export async function reservedFlow(
  account: Account,
  source: ReservedSource,
  deps: {
    readonly forms: Forms;
    readonly guards: SendGuards;
    /** Why a flow may not be reserved for its time; absent where its time has come. */
    readonly hourProblem?: (flow: Flow) => Problem | undefined;
  },
): Promise<ReservedFlow | Problem> {
  const { forms, guards, hourProblem = () => undefined } = deps;
  // What is sent stays as it was reserved; a form that is gone since was withdrawn.
  if ('entries' in source && source.formId !== undefined) {
    const form = await forms.entries(account, source.formId);
    if (form instanceof Problem) return form;
  }
  if ('flow' in source) {
    const { flow, style } = source;
    const problem = hourProblem(flow);
    if (problem) return problem;
    const about = { flow, ref: undefined, ...(style !== undefined && { style }) };
    return {
      ...plainFlow(flow, singleNames(flow, style)),
      recipientProblem: async to => guards.singleProblem(account, { ...about, to }),
    };
  }
  const compiled = compileFlow(source.entries, source.formId === undefined ? undefined : FORM);
  if (compiled instanceof Problem) return compiled;
  const problem = (await guards.flowProblem(account, compiled)) ?? hourProblem(compiled.flow);
  if (problem) return problem;
  return {
    ...compiled,
    async recipientProblem(to, words) {
      const flow = compiled.flowFor(words ?? {});
      if (flow instanceof Problem) return flow;
      const ownProblem = compiled.isTemplate ? hourProblem(flow) : undefined;
      return ownProblem ?? guards.recipientProblem(account, compiled, flow, to);
    },
  };
}

/** What is reserved, as its recipients may get it. */
export function compiledIn(source: ReservedSource): CompiledFlow | Problem {
  if ('flow' in source) return plainFlow(source.flow, singleNames(source.flow, source.style));
  return compileFlow(source.entries, source.formId === undefined ? undefined : FORM);
}

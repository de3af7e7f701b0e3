/**
 * The combined send: one flow, ten recipients, or as many as the account may send to at once.
 *
 * A problem in the flow refuses the request. A problem of one recipient (its number, a missing word, a text that is too
 * long once its words are filled in) is that recipient's own result; the others are sent.
 */
import { ref } from '../channels/shared-fields.ts';
import type { Flow, Step } from '../delivery/flow.ts';
import { holdsPlaceholders, parseWords, type Words } from '../text/substitution.ts';
import { field, holdsPlaceholder, text } from './field-kinds.ts';
import { type FieldNames, flowNames } from './field-names.ts';
import { isNotGiven, isObject, Members, readFields, required } from './fields.ts';
import { FlowTemplate } from './flow-template.ts';
import { parseFlowEntry, parseMessageFlow } from './message-flow.ts';
import { parseDomesticNumber } from './phone-number.ts';
import { Problem } from './problem.ts';
import { sendFields } from './send-fields.ts';

/** The most that any account may have; its own limit is a setting. */
export const MAX_DESTINATIONS = 1000;
const FLOW = 'messageFlow';
/** What clients call a flow that is kept as a form. */
export const FORM = 'messageForm';

/** A recipient that can be sent to. */
export interface Destination {
  /** The number as the client wrote it; the answer repeats it. */
  readonly given: string;
  readonly to: string;
  readonly words: Words;
  /** Instead of the request's. */
  readonly ref?: string;
}

/** A recipient that is refused. */
export interface RefusedDestination {
  readonly given: string;
  readonly ref?: string;
  readonly problem: Problem;
}

export interface OmniRequest {
  readonly ref: string | undefined;
  readonly groupKey: string | undefined;
  /** The trace that the request names; see traceparent.ts. */
  readonly traceparent?: string;
  readonly paymentCode: string | undefined;
  readonly destinations: readonly (Destination | RefusedDestination)[];
  /** The entries of the flow as they came, or the form that holds them. */
  readonly source: { readonly entries: unknown } | { readonly formId: string };
}

export const omniFields = {
  destinations: required(
    field('A300', { type: 'array' }, (value, path) => {
      if (!Array.isArray(value)) return new Problem('A011', `"${path}" must be a list`);
      return tooManyRecipients(value.length, MAX_DESTINATIONS) ?? (value as readonly unknown[]);
    }),
  ),
  messageFlow: field('A300', { type: 'array' }, value => value),
  messageForm: text({ code: 'A250', max: 64, unit: 'characters', description: 'Id of a message form.' }),
  paymentCode: text({ code: 'A310', max: 20, unit: 'characters', description: 'Settlement department.' }),
  ref,
  ...sendFields,
};

export function tooManyRecipients(count: number, limit: number): Problem | undefined {
  return count > limit
    ? new Problem('A318', `"destinations" has more than ${limit} entries (was ${count})`)
    : undefined;
}

export function parseOmni(body: unknown): OmniRequest | Problem {
  const values = readFields(omniFields, body);
  if (values instanceof Problem) return values;
  const destinations: (Destination | RefusedDestination)[] = [];
  for (const [index, value] of values.destinations.entries()) {
    const destination = parseDestination(value, `destinations[${index}]`);
    if (destination instanceof Problem) return destination;
    destinations.push(destination);
  }
  const { messageFlow, messageForm } = values;
  if (messageFlow === undefined && messageForm === undefined) {
    return new Problem('A300', '"messageFlow" or "messageForm" is required');
  }
  return {
    ref: values.ref,
    groupKey: values.groupKey,
    paymentCode: values.paymentCode,
    destinations,
    source: messageFlow === undefined ? { formId: messageForm ?? '' } : { entries: messageFlow },
  };
}

/** One public client writes the singular. */
const WORDS_ALIASES = ['replaceWord'];

export function parseDestination(value: unknown, path: string): Destination | RefusedDestination | Problem {
  if (!isObject(value)) return new Problem('A011', `"${path}" must be a JSON object`);
  const members = new Members(value);
  const number = members.find('to');
  const given = typeof number === 'string' ? number : '';
  const own = members.find('ref');
  const ownRef = isNotGiven(own) ? undefined : ref.read(own, 'ref', 'final');
  const about = typeof ownRef === 'string' ? { given, ref: ownRef } : { given };
  const to = parseDomesticNumber(given);
  if (to === undefined) {
    const problem = new Problem('A306', '"to" must be a domestic number such as 01012345678');
    return { ...about, problem };
  }
  const words = parseWords(members.find('replaceWords', WORDS_ALIASES), 'replaceWords');
  if (words instanceof Problem) return { ...about, problem: words };
  return ownRef instanceof Problem ? { given, problem: ownRef } : { ...about, to, words };
}

/** A flow ready to be sent to several recipients. */
export interface CompiledFlow {
  /** The flow with its placeholders, as it is stored. */
  readonly flow: Flow;
  /** The flow for one recipient, or what is wrong with it. */
  flowFor(words: Words): Flow | Problem;
  /** Whether the flow holds placeholders at all. */
  readonly isTemplate: boolean;
  /** What the request calls the fields of its steps. */
  readonly names: FieldNames;
}

/**
 * `path` is what the request calls the flow. The entries are walked here, once for all recipients; for each recipient only
 * what holds placeholders is filled in and read again.
 */
export function compileFlow(entries: unknown, path: string = FLOW): CompiledFlow | Problem {
  const flow = parseMessageFlow(entries, 'template', path);
  if (flow instanceof Problem) return flow;
  const names = flowNames(path, entries, flow);
  if (!holdsMark(flow)) return plainFlow(flow, names);
  if (!holdsPlaceholders(flow)) {
    // Half a placeholder is plain text, which the template did not measure.
    const final = parseMessageFlow(entries, 'final', path);
    return final instanceof Problem ? final : plainFlow(final, names);
  }
  const template = new FlowTemplate(path);
  const given = entries as readonly unknown[];
  for (const [index, step] of flow.entries()) {
    const problem = holdsPlaceholders(step)
      ? template.add(index, given[index], step)
      : holdsMark(step) && parseFlowEntry(given[index], 'final', `${path}[${index}]`);
    if (problem instanceof Problem) return problem;
  }
  return {
    flow,
    isTemplate: true,
    names,
    flowFor(words) {
      const filled = template.fill(words);
      if (filled instanceof Problem) return filled;
      const steps: Step[] = [];
      for (const [index, step] of flow.entries()) {
        const entry = filled.get(index);
        const read = entry === undefined ? step : parseFlowEntry(entry, 'final', `${path}[${index}]`);
        if (read instanceof Problem) return read;
        steps.push(read);
      }
      return steps;
    },
  };
}

/** A flow that is the same for every recipient. */
export function plainFlow(flow: Flow, names: FieldNames): CompiledFlow {
  return { flow, isTemplate: false, names, flowFor: () => flow };
}

/** Whether a text in `value` was not measured because it may hold a placeholder. */
function holdsMark(value: unknown): boolean {
  if (typeof value === 'string') return holdsPlaceholder(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsMark);
}

/**
 * Checking a send without accepting it: what the recipient would get, how long the fields are, why it would be
 * refused.
 */

import type { Forms } from '../accept/forms.ts';
import type { FindObjections } from '../accept/network-objections.ts';
import type { Registry } from '../accept/registry.ts';
import type { SendOperation } from '../accept/send.ts';
import type { Account } from '../domain/account/account.ts';
import { CHANNELS, type Channel } from '../domain/channels/channel.ts';
import { CHANNEL_TABLE } from '../domain/channels/channel-table.ts';
import type { Flow } from '../domain/delivery/flow.ts';
import { isFilledIn, type ObjectionName } from '../domain/delivery/network-objections.ts';
import { isObject } from '../domain/request/fields.ts';
import type { Measure } from '../domain/request/measures.ts';
import { compileFlow, FORM, parseOmni, tooManyRecipients } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import { readSingleSend } from '../domain/request/send-fields.ts';
import type { SendKind } from '../domain/request/send-kinds.ts';
import { placeholdersIn } from '../domain/text/substitution.ts';
import type { Store } from '../store/store.ts';
import { type TemplateWarning, templateWarnings } from './template-warnings.ts';

export interface CheckedStep {
  readonly channel: Channel;
  /** As the first recipient would get it; as written in the request if that has a problem. */
  readonly rendered: object;
  readonly measures: readonly Measure[];
}

/** What would be accepted and is probably not meant. */
export type Warning = TemplateWarning | PlaceholderWarning | NetworkWarning;

interface NetworkWarning {
  readonly name: ObjectionName;
  readonly step: number;
  /** What is not known, and what was probably meant. */
  readonly keys: readonly string[];
}

interface PlaceholderWarning {
  readonly name: 'placeholder';
  /** Position in the flow. */
  readonly step: number;
  /** Keys of placeholders that the recipient would get as they stand. */
  readonly keys: readonly string[];
}

export interface Checked {
  readonly problem: { readonly code: string; readonly result: string } | null;
  readonly warnings: readonly Warning[];
  readonly steps: readonly CheckedStep[];
}

export interface Compose {
  check(account: Account, kind: SendKind, body: unknown): Promise<Checked>;
}

const MOST_SHOWN = 10;
/** The warning about a template that says what an objection would say again. */
const TOLD_BY: Partial<Record<ObjectionName, TemplateWarning['name']>> = {
  unknownFormat: 'templateState',
  templateState: 'templateState',
  templateContent: 'templateContent',
};

export function createCompose(deps: {
  readonly send: Pick<SendOperation, 'guards'>;
  readonly forms: Forms;
  readonly store: Pick<Store, 'registry'>;
  readonly completeFlow: Registry['completeFlow'];
  readonly objections: FindObjections;
}): Compose {
  const { forms, store, completeFlow, objections } = deps;
  const { guards } = deps.send;

  return {
    async check(account, kind, body) {
      const checked =
        kind === 'omni' ? await checkOmni(account, body) : await checkSingle(account, kind, body);
      const { problem } = checked;
      const flow = checked.flow ?? writtenSteps(kind, body);
      // The registry knows the limits of issued templates.
      const measured = checked.flow ? await completeFlow(account, checked.flow) : flow;
      return {
        problem: problem ? { code: problem.code, result: problem.result } : null,
        warnings: [...flow.flatMap(warningsOf), ...(await flowWarnings(account, checked.flow ?? []))],
        steps: flow.map((step, index) => ({
          channel: step.channel,
          rendered: step,
          measures: CHANNEL_TABLE[step.channel].request.measure(measured[index]),
        })),
      };
    },
  };

  /** What differs from a template, and what a network would refuse although it is accepted here. */
  async function flowWarnings(account: Account, flow: Flow): Promise<Warning[]> {
    const [ofTemplates, objected] = await Promise.all([
      templateWarnings(flow, wanted => store.registry.find(account.id, wanted)),
      Promise.all(flow.map(step => objections(account.id, step))),
    ]);
    const isTold = (name: ObjectionName, at: number) =>
      ofTemplates.some(told => told.step === at && told.name === TOLD_BY[name]);
    const ofNetwork = objected.flatMap((each, step) =>
      each
        .filter(objection => isFilledIn(objection) && !isTold(objection.name, step))
        .map(({ name, keys }) => ({ name, step, keys })),
    );
    return [...ofTemplates, ...ofNetwork];
  }

  async function checkSingle(account: Account, channel: Channel, body: unknown): Promise<Finding> {
    const parsed = readSingleSend(channel, body);
    if (parsed instanceof Problem) return { problem: parsed };
    return { flow: parsed.flow, problem: await guards.singleProblem(account, parsed) };
  }

  /**
   * The first problem of the flow or of a recipient, and the flow of the first recipient whose replacement words fit.
   */
  async function checkOmni(account: Account, body: unknown): Promise<Finding> {
    const omni = parseOmni(body);
    if (omni instanceof Problem) return { problem: omni };
    const excess = tooManyRecipients(omni.destinations.length, account.settings.recipientLimit);
    if (excess) return { problem: excess };
    const { source } = omni;
    const entries = 'entries' in source ? source.entries : await forms.entries(account, source.formId);
    if (entries instanceof Problem) return { problem: entries };
    const compiled = compileFlow(entries, 'formId' in source ? FORM : undefined);
    if (compiled instanceof Problem) return { problem: compiled };
    let flow: Flow | undefined;
    let problem = await guards.flowProblem(account, compiled);
    for (const destination of omni.destinations) {
      if ('problem' in destination) {
        problem ??= destination.problem;
        continue;
      }
      const rendered = compiled.flowFor(destination.words);
      if (rendered instanceof Problem) {
        problem ??= rendered;
        continue;
      }
      flow ??= rendered;
      problem ??= await guards.recipientProblem(account, compiled, rendered, destination.to);
    }
    return { flow: flow ?? compiled.flow, problem };
  }
}

interface Finding {
  readonly problem: Problem | undefined;
  readonly flow?: Flow;
}

function warningsOf(message: object, step: number): Warning[] {
  const keys = placeholdersIn(message);
  return keys.length > 0 ? [{ name: 'placeholder', step, keys }] : [];
}

type WrittenStep = { readonly channel: Channel } & Readonly<Record<string, unknown>>;

/** The steps of a request that does not parse, as far as they can be shown. */
function writtenSteps(kind: SendKind, body: unknown): WrittenStep[] {
  if (!isObject(body)) return [];
  if (kind !== 'omni') return [{ ...body, channel: kind }];
  const entries = Array.isArray(body.messageFlow) ? body.messageFlow.slice(0, MOST_SHOWN) : [];
  return entries.filter(isObject).flatMap(entry => {
    const channel = CHANNELS.find(name => isObject(entry[name]));
    const message = channel && entry[channel];
    return channel && isObject(message) ? [{ ...message, channel }] : [];
  });
}

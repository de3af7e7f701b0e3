/**
 * What the registry refuses. Enforcement (`enforceRegistry`) is the account's; two rules hold for every account: a text
 * sender id goes out only where it is registered, and a registered RCS template has the limits of its kind.
 *
 * A step is checked in two moves, so that a send asks the store once: `wantedEntries` names what its check will look
 * up, `registryProblem` looks.
 */
import type { AlimtalkStep } from '../channels/alimtalk.ts';
import type { InternationalStep } from '../channels/international.ts';
import type { MessengerButton } from '../channels/messenger-buttons.ts';
import { readBody } from '../channels/rcs/body.ts';
import { findRcsFormat, RCS_TEMPLATE_KINDS, type RcsTemplateKind } from '../channels/rcs/formats.ts';
import { rcsLimitProblem } from '../channels/rcs/limits.ts';
import type { RcsStep } from '../channels/rcs/rcs.ts';
import type { Step } from '../delivery/flow.ts';
import { isTextSenderId } from '../request/phone-number.ts';
import { Problem } from '../request/problem.ts';
import type { ResultCode } from '../request/result-codes.ts';
import { templateMatches } from '../text/template-match.ts';
import {
  type EntryOf,
  type RegistryEntry,
  type RegistryKind,
  type RegistryRef,
  registryKey,
} from './registry.ts';

/** The entries that were found for an account. */
export interface Registered {
  find<Kind extends RegistryKind>(kind: Kind, key: string): EntryOf<Kind> | undefined;
  every<Kind extends RegistryKind>(kind: Kind): readonly EntryOf<Kind>[];
}

export function registeredOf(entries: readonly RegistryEntry[]): Registered {
  const isOf =
    <Kind extends RegistryKind>(kind: Kind) =>
    (entry: RegistryEntry): entry is RegistryEntry & EntryOf<Kind> =>
      entry.kind === kind;
  return {
    find: (kind, key) => entries.filter(isOf(kind)).find(entry => registryKey(entry) === key),
    every: kind => entries.filter(isOf(kind)),
  };
}

/** What the check of a step looks up, for an account with enforcement or without. */
export function wantedEntries(step: Step, isEnforced: boolean): RegistryRef[] {
  if (!isEnforced) {
    if (usesIssuedTemplate(step)) return [{ kind: 'rcsTemplate', key: step.formatId }];
    return usesTextSenderId(step) ? [{ kind: 'internationalSenderId', key: step.from }] : [];
  }
  switch (step.channel) {
    case 'sms':
    case 'mms':
      return [{ kind: 'sender', key: step.from }];
    case 'international':
      return [
        { kind: isTextSenderId(step.from) ? 'internationalSenderId' : 'sender', key: step.from },
        { kind: 'internationalSignature', key: undefined },
      ];
    case 'rcs':
      return [
        { kind: 'sender', key: step.from },
        ...(step.brandKey === undefined ? [] : [{ kind: 'rcsBrand', key: step.brandKey } as const]),
        ...(findRcsFormat(step.formatId) ? [] : [{ kind: 'rcsTemplate', key: step.formatId } as const]),
      ];
    case 'alimtalk':
      return [
        { kind: 'senderProfile', key: step.senderKey },
        { kind: 'alimtalkTemplate', key: templateKey(step) },
      ];
    case 'friendtalk':
    case 'brandmessage':
      return [{ kind: 'senderProfile', key: step.senderKey }];
  }
}

/** Why an account may not send this step to this recipient. */
export function registryProblem(
  step: Step,
  to: string,
  registered: Registered,
  isEnforced: boolean,
): Problem | undefined {
  if (!isEnforced) {
    const kind = usesIssuedTemplate(step) ? templateKindOf(step, registered) : undefined;
    if (kind && usesIssuedTemplate(step)) return kindProblem(step, kind);
    return usesTextSenderId(step) ? senderIdProblem(step, to, registered) : undefined;
  }
  switch (step.channel) {
    case 'sms':
    case 'mms':
      return senderProblem(step.from, registered);
    case 'international':
      return (
        (isTextSenderId(step.from)
          ? senderIdProblem(step, to, registered)
          : senderProblem(step.from, registered)) ?? signatureProblem(step, to, registered)
      );
    case 'rcs':
      return rcsProblem(step, registered);
    case 'alimtalk':
      return profileProblem(step.senderKey, registered) ?? templateProblem(step, registered);
    case 'friendtalk':
    case 'brandmessage':
      return profileProblem(step.senderKey, registered);
  }
}

function usesTextSenderId(step: Step): step is InternationalStep {
  return step.channel === 'international' && isTextSenderId(step.from);
}

/** A formatId outside the table is the id of a template that a carrier issued. */
export function usesIssuedTemplate(step: Step): step is RcsStep {
  return step.channel === 'rcs' && !findRcsFormat(step.formatId);
}

export function templateKindOf({ formatId }: RcsStep, registered: Registered): RcsTemplateKind | undefined {
  return registered.find('rcsTemplate', formatId)?.templateKind;
}

function senderProblem(from: string, registered: Registered): Problem | undefined {
  return registered.find('sender', from)
    ? undefined
    : refusal('A327', 'from', 'a registered sender number', from);
}

/** Letters may differ in case from country to country; a word is what was registered, to the letter. */
function senderIdProblem(
  { from }: InternationalStep,
  to: string,
  registered: Registered,
): Problem | undefined {
  const entry = registered.find('internationalSenderId', from);
  if (!entry) return refusal('A302', 'from', 'a sender number, or a registered text sender id', from);
  return isFor(entry, to)
    ? undefined
    : refusal('A302', 'from', 'a text sender id registered for the destination', from);
}

/** A country with a signature asks for one; any of those registered for it will do. */
function signatureProblem(
  { text }: InternationalStep,
  to: string,
  registered: Registered,
): Problem | undefined {
  const signatures = registered.every('internationalSignature').filter(entry => isFor(entry, to));
  if (signatures.length === 0 || signatures.some(signature => text.startsWith(signature.text)))
    return undefined;
  const words = signatures.slice(0, 3).map(signature => `"${signature.text}"`);
  return new Problem('A303', `"text" must begin with the registered signature ${words.join(' or ')}`);
}

function isFor({ prefixes }: { readonly prefixes: readonly string[] }, to: string): boolean {
  return prefixes.some(prefix => to.startsWith(prefix));
}

function profileProblem(senderKey: string, registered: Registered): Problem | undefined {
  return registered.find('senderProfile', senderKey)
    ? undefined
    : refusal('A502', 'senderKey', 'a registered sender profile', senderKey);
}

function templateKey({ senderKey, templateCode }: AlimtalkStep): string {
  return `${senderKey}/${templateCode}`;
}

/** What an operator did not register of a template is not compared. */
function templateProblem(step: AlimtalkStep, registered: Registered): Problem | undefined {
  const template = registered.find('alimtalkTemplate', templateKey(step));
  if (!template)
    return refusal('A505', 'templateCode', 'a registered template of the sender profile', step.templateCode);
  const { title, header, buttons } = template;
  if (!templateMatches(template.text, step.text)) return different('text');
  if (title !== undefined && !templateMatches(title, step.title ?? '')) return different('title');
  if (header !== undefined && !templateMatches(header, step.header ?? '')) return different('header');
  if (buttons !== undefined && !buttonsMatch(buttons, step.attachment?.button ?? []))
    return different('button');
  return undefined;

  function different(name: string): Problem {
    return new Problem('A505', `"${name}" differs from the registered template ${step.templateCode}`);
  }
}

function buttonsMatch(approved: readonly MessengerButton[], given: readonly MessengerButton[]): boolean {
  return (
    approved.length === given.length &&
    approved.every((button, index) => {
      const counterpart: Readonly<Record<string, string | undefined>> = given[index] ?? {};
      return Object.entries(button).every(([name, value]) => templateMatches(value, counterpart[name] ?? ''));
    })
  );
}

function rcsProblem(step: RcsStep, registered: Registered): Problem | undefined {
  const { brandKey, brandId, from } = step;
  // Inside flows the key may be left out; then the brand is the network's choice.
  const brand = brandKey === undefined ? undefined : registered.find('rcsBrand', brandKey);
  if (brandKey !== undefined && !brand) return refusal('A420', 'brandKey', 'a registered brand', brandKey);
  if (brandId !== undefined && brand?.brandId !== undefined && brandId !== brand.brandId) {
    return refusal('A419', 'brandId', 'the id of the registered brand', brandId);
  }
  if (!brand?.senders) return senderProblem(from, registered) ?? issuedTemplateProblem(step, registered);
  if (!brand.senders.includes(from)) return refusal('A327', 'from', 'a registered sender of the brand', from);
  return issuedTemplateProblem(step, registered);
}

function issuedTemplateProblem(step: RcsStep, registered: Registered): Problem | undefined {
  if (findRcsFormat(step.formatId)) return undefined;
  const template = registered.find('rcsTemplate', step.formatId);
  const isOfBrand =
    template?.brandKey === undefined || step.brandKey === undefined || template.brandKey === step.brandKey;
  if (!template || !isOfBrand) {
    return refusal(
      'A404',
      'formatId',
      'a format of the table, or a registered template of the brand',
      step.formatId,
    );
  }
  return kindProblem(step, template.templateKind);
}

function kindProblem(step: RcsStep, kind: RcsTemplateKind): Problem | undefined {
  // An empty value is no title: clients fill every variable of a template.
  const filled = Object.fromEntries(Object.entries(step.body).filter(([, value]) => value !== ''));
  const message = readBody(filled, step.buttons, undefined, { body: 'body', buttons: 'buttons' });
  return message instanceof Problem ? message : rcsLimitProblem(message, RCS_TEMPLATE_KINDS[kind], 'final');
}

function refusal(code: ResultCode, name: string, mustBe: string, was: string): Problem {
  return new Problem(code, `"${name}" must be ${mustBe} (was ${was.slice(0, 100)})`);
}

/** Registry rules of RCS: brands, their senders, and issued templates with the limits of their registered kind. */
import { notRegistered, type Registered } from '../../registry/registered.ts';
import type { RegistryRef } from '../../registry/registry.ts';
import { stateOf } from '../../registry/template-state.ts';
import { Problem } from '../../request/problem.ts';
import type { RegistryRule } from '../channel-description.ts';
import { senderEntry, senderProblem } from '../registered-sender.ts';
import { readBody } from './body.ts';
import { findRcsFormat, RCS_TEMPLATE_KINDS, type RcsTemplateKind } from './formats.ts';
import { rcsLimitProblem } from './limits.ts';
import type { RcsStep } from './rcs.ts';

export const registeredBrandAndTemplate: RegistryRule<RcsStep> = {
  wanted: step => [
    senderEntry(step.from),
    ...(step.brandKey === undefined ? [] : [{ kind: 'rcsBrand', key: step.brandKey } as const]),
    ...issuedTemplateOf(step),
  ],
  problem(step, _to, registered) {
    const { brandKey, brandId, from } = step;
    // Inside flows the key may be left out; then the network chooses the brand.
    const brand = brandKey === undefined ? undefined : registered.find('rcsBrand', brandKey);
    if (brandKey !== undefined && !brand) {
      return notRegistered('A420', 'brandKey', 'a registered brand', brandKey);
    }
    if (brandId !== undefined && brand?.brandId !== undefined && brandId !== brand.brandId) {
      return notRegistered('A419', 'brandId', 'the id of the registered brand', brandId);
    }
    if (!brand?.senders) return senderProblem(from, registered) ?? issuedTemplateProblem(step, registered);
    if (!brand.senders.includes(from)) {
      return notRegistered('A327', 'from', 'a registered sender of the brand', from);
    }
    return issuedTemplateProblem(step, registered);
  },
};

/** A registered template has the limits of its kind, whatever the account's enforcement. */
export const limitsOfTemplateKind: RegistryRule<RcsStep> = {
  wanted: issuedTemplateOf,
  problem(step, _to, registered) {
    const kind = templateKindOf(step, registered);
    return kind && kindProblem(step, kind);
  },
};

/** The kind of a registered template, which reports show. */
export const templateKindCompletion = {
  wanted: issuedTemplateOf,
  complete(step: RcsStep, registered: Registered): RcsStep {
    const templateKind = templateKindOf(step, registered);
    return templateKind ? { ...step, templateKind } : step;
  },
};

/** A formatId outside the table is the id of a template that a carrier issued. */
function issuedTemplateOf({ formatId }: RcsStep): RegistryRef[] {
  return findRcsFormat(formatId) ? [] : [{ kind: 'rcsTemplate', key: formatId }];
}

function templateKindOf({ formatId }: RcsStep, registered: Registered): RcsTemplateKind | undefined {
  return findRcsFormat(formatId) ? undefined : registered.find('rcsTemplate', formatId)?.templateKind;
}

function issuedTemplateProblem(step: RcsStep, registered: Registered): Problem | undefined {
  if (findRcsFormat(step.formatId)) return undefined;
  const template = registered.find('rcsTemplate', step.formatId);
  const isOfBrand =
    template?.brandKey === undefined || step.brandKey === undefined || template.brandKey === step.brandKey;
  if (!template || !isOfBrand) {
    const mustBe = 'a format of the table, or a registered template of the brand';
    return notRegistered('A404', 'formatId', mustBe, step.formatId);
  }
  const state = stateOf(template);
  if (state !== 'approved') {
    const sentence = `"formatId" must be an approved template (${step.formatId} is in the state ${state})`;
    return new Problem('A404', sentence);
  }
  return kindProblem(step, template.templateKind);
}

function kindProblem(step: RcsStep, kind: RcsTemplateKind): Problem | undefined {
  // An empty value is no title: clients fill every variable of a template.
  const filled = Object.fromEntries(Object.entries(step.body).filter(([, value]) => value !== ''));
  const message = readBody(filled, step.buttons, undefined, { body: 'body', buttons: 'buttons' });
  return message instanceof Problem ? message : rcsLimitProblem(message, RCS_TEMPLATE_KINDS[kind], 'final');
}

/** Registry rules of RCS: brands, their senders, and issued templates with the limits of their registered kind. */
import { notRegistered, type Registered } from '../../registry/registered.ts';
import type { EntryOf, RegistryRef } from '../../registry/registry.ts';
import { RCS_KEY, variablesOf } from '../../registry/template.ts';
import { stateOf } from '../../registry/template-state.ts';
import { isUnfilled } from '../../request/field-kinds.ts';
import type { Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { RegistryRule } from '../channel-description.ts';
import { senderEntry, senderProblem } from '../registered-sender.ts';
import { knownKey, readBody, spelledAsKnown } from './body.ts';
import { templateNames } from './content.ts';
import { findRcsFormat, RCS_TEMPLATE_KINDS } from './formats.ts';
import { lengthInAllProblem, rcsLimitProblem } from './limits.ts';
import type { RcsStep } from './rcs.ts';

type Template = EntryOf<'rcsTemplate'>;

export const registeredBrandAndTemplate: RegistryRule<RcsStep> = {
  wanted: step => [
    senderEntry(step.from),
    ...(step.brandKey === undefined ? [] : [{ kind: 'rcsBrand', key: step.brandKey } as const]),
    ...issuedTemplateOf(step),
  ],
  problem(step, _to, registered, reading) {
    const { brandKey, brandId, from } = step;
    const isOpen = brandKey !== undefined && isUnfilled(brandKey, reading);
    // Inside flows the key may be left out; then the network chooses the brand.
    const brand = brandKey === undefined ? undefined : registered.find('rcsBrand', brandKey);
    if (isOpen) return issuedTemplateProblem(step, registered, reading);
    if (brandKey !== undefined && !brand) {
      return notRegistered('A420', 'brandKey', 'a registered brand', brandKey);
    }
    if (
      brandId !== undefined &&
      brand?.brandId !== undefined &&
      brandId !== brand.brandId &&
      !isUnfilled(brandId, reading)
    ) {
      return notRegistered('A419', 'brandId', 'the id of the registered brand', brandId);
    }
    if (!brand?.senders)
      return senderProblem(from, registered) ?? issuedTemplateProblem(step, registered, reading);
    if (!brand.senders.includes(from)) {
      return notRegistered('A327', 'from', 'a registered sender of the brand', from);
    }
    return issuedTemplateProblem(step, registered, reading);
  },
};

/** A registered template has the limits of its kind, whatever the account's enforcement. */
export const limitsOfTemplateKind: RegistryRule<RcsStep> = {
  wanted: issuedTemplateOf,
  problem(step, _to, registered, reading) {
    const template = templateOf(step, registered);
    return template && kindProblem(step, template, reading);
  },
};

/** The kind of a registered template, which reports show, and the keys that its kind knows as carriers spell them. */
export const templateKindCompletion = {
  wanted: issuedTemplateOf,
  complete(step: RcsStep, registered: Registered): RcsStep {
    const template = templateOf(step, registered);
    if (!template) return step;
    const body = spelledAsKnown(step.body, variablesOf(template));
    return { ...step, templateKind: template.templateKind, body };
  },
};

/** A formatId outside the table is the id of a template that a carrier issued. */
function issuedTemplateOf({ formatId }: RcsStep): RegistryRef[] {
  return findRcsFormat(formatId) ? [] : [{ kind: 'rcsTemplate', key: formatId }];
}

function templateOf({ formatId }: RcsStep, registered: Registered): Template | undefined {
  return findRcsFormat(formatId) ? undefined : registered.find('rcsTemplate', formatId);
}

function issuedTemplateProblem(step: RcsStep, registered: Registered, reading: Reading): Problem | undefined {
  if (findRcsFormat(step.formatId)) return undefined;
  const template = templateOf(step, registered);
  const isOfBrand =
    template?.brandKey === undefined ||
    step.brandKey === undefined ||
    isUnfilled(step.brandKey, reading) ||
    template.brandKey === step.brandKey;
  if (!template || !isOfBrand) {
    const mustBe = 'a format of the table, or a registered template of the brand';
    return notRegistered('A404', 'formatId', mustBe, step.formatId);
  }
  const state = stateOf(template);
  if (state !== 'approved') {
    const sentence = `"formatId" must be an approved template (${step.formatId} is in the state ${state})`;
    return new Problem('A404', sentence);
  }
  return kindProblem(step, template, reading);
}

/** What the kind of a registered template forbids, in either style. */
function kindProblem(step: RcsStep, template: Template, reading: Reading): Problem | undefined {
  const { body, buttons, contentKind } = step;
  const format = RCS_TEMPLATE_KINDS[template.templateKind];
  if (contentKind && contentKind !== format.kind) {
    const sentence = `"content" must hold "${format.kind}" for ${template.formatId} (was "${contentKind}")`;
    return new Problem('A415', sentence);
  }
  const path = contentKind ? `content.${contentKind}` : 'body';
  if (isEmpty(body, template))
    return new Problem('A415', `"${path}" has no values for the template ${template.formatId}`);
  const missing = missingValue(body, template);
  if (missing !== undefined) {
    return new Problem(
      'A415',
      `"${path}" has no value for {{${missing}}} of the template ${template.formatId}`,
    );
  }
  const message = readBody(limited(body, template), buttons, format, reading, {
    body: path,
    buttons: 'buttons',
  });
  if (message instanceof Problem) return message;
  const names = contentKind ? { ...message.names, ...templateNames(path) } : message.names;
  return (
    rcsLimitProblem({ ...message, names }, format, reading) ??
    filledTextProblem(template, body, { path, max: format.textMax }, reading)
  );
}

/**
 * Our choice: the text limit of a template holds for what the recipient reads, the registered text with its values in it. A
 * title has a limit of its own.
 */
function filledTextProblem(
  { text }: Template,
  body: RcsStep['body'],
  { path, max }: { readonly path: string; readonly max: number },
  reading: Reading,
): Problem | undefined {
  if (text === undefined) return undefined;
  const written = (name: string) => {
    const value = name === 'title' ? undefined : body[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  // Every other part is the name of a value.
  const parts = text.split(RCS_KEY).map((part, index) => (index % 2 === 0 ? part : written(part)));
  return lengthInAllProblem(parts, max, path, reading);
}

/** A message of a template consists of its values: of its variables, or of what its kind shows. Without variables it needs none. */
function isEmpty(body: RcsStep['body'], template: Template): boolean {
  const given = Object.keys(body).filter(key => body[key] !== '');
  if (template.text === undefined) return given.length === 0;
  const variables = variablesOf(template);
  const isItsOwn = (key: string) => variables.includes(key) || knownKey(key) !== undefined;
  return variables.length > 0 && !given.some(isItsOwn);
}

/**
 * The first variable of the text without a value, which its recipient would read as it stands; an empty value is one. Who fills
 * no variable at all writes the text himself, by the keys of the kind.
 */
function missingValue(body: RcsStep['body'], { text = '' }: Template): string | undefined {
  const variables = [...text.matchAll(RCS_KEY)].map(([, name = '']) => name);
  const isGiven = (name: string) => Object.hasOwn(body, name);
  return variables.some(isGiven) ? variables.find(name => !isGiven(name)) : undefined;
}

/** An empty value is no title: clients fill every variable. A key such as `title1` may be the name of a variable. */
function limited(body: RcsStep['body'], template: Template): RcsStep['body'] {
  const variables = template.text === undefined ? [] : variablesOf(template);
  const isVariable = (key: string) => /\d$/.test(key) && variables.includes(key);
  return Object.fromEntries(Object.entries(body).filter(([key, value]) => value !== '' && !isVariable(key)));
}

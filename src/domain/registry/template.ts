/** Templates: the entries of the registry that somebody else approves, and that messages are made from. */
import { Problem } from '../request/problem.ts';
import { PLACEHOLDER } from '../text/substitution.ts';
import type { EntryOf, RegistryEntry, RegistryKind } from './registry.ts';

export const TEMPLATE_KINDS = [
  'alimtalkTemplate',
  'brandmessageTemplate',
  'rcsTemplate',
] as const satisfies readonly RegistryKind[];
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];
export type TemplateEntry = { [Kind in TemplateKind]: EntryOf<Kind> }[TemplateKind];

/** Of an RCS template a sender gives the values of `{{key}}`. */
export const RCS_KEY = /\{\{([^{}]+)\}\}/g;
/** As many words as a recipient may have. */
const MOST_VARIABLES = 100;
const LONGEST_SHOWN = 64;

export function parseTemplateKind(given: unknown): TemplateKind | Problem {
  const kind = TEMPLATE_KINDS.find(known => known === given);
  return kind ?? new Problem('A300', `"kind" must be one of ${TEMPLATE_KINDS.join(', ')}`);
}

export function isTemplate(entry: RegistryEntry): entry is TemplateEntry {
  return TEMPLATE_KINDS.some(kind => kind === entry.kind);
}

/** The names of the values that a message made from it needs, in the order in which they occur. */
export function variablesOf(template: TemplateEntry): string[] {
  const { kind, name, reason, ...content } = template;
  const names = new Set<string>();
  collect(content, kind === 'rcsTemplate' ? RCS_KEY : PLACEHOLDER, names);
  return [...names];
}

function collect(value: unknown, form: RegExp, names: Set<string>): void {
  if (names.size >= MOST_VARIABLES) return;
  if (typeof value === 'string') {
    for (const [, name = ''] of value.matchAll(form)) {
      if (names.add(name.slice(0, LONGEST_SHOWN).toWellFormed()).size >= MOST_VARIABLES) return;
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const member of Object.values(value)) collect(member, form, names);
  }
}

/** Whether it is what somebody looks for: by its code, its name or a word of its text. */
export function mentions(template: TemplateEntry, wanted: string): boolean {
  const { text = '', name = '' } = template;
  const code =
    template.kind === 'rcsTemplate' ? template.formatId : `${template.senderKey}/${template.templateCode}`;
  return [code, name, text].some(part => part.toLowerCase().includes(wanted));
}

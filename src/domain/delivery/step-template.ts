/** The template of the registry that a message is made from, and where the message differs from it. */
import { differences, templateKey } from '../channels/alimtalk-registry.ts';
import { brandDifferences, brandTemplateRef } from '../channels/brandmessage-registry.ts';
import { findRcsFormat } from '../channels/rcs/formats.ts';
import type { TemplateEntry, TemplateKind } from '../registry/template.ts';
import type { Step } from './flow.ts';

interface TemplateRef {
  readonly kind: TemplateKind;
  readonly key: string;
}

export function templateOf(step: Step): TemplateRef | undefined {
  switch (step.channel) {
    case 'alimtalk':
      return { kind: 'alimtalkTemplate', key: templateKey(step) };
    case 'brandmessage':
      return brandTemplateRef(step);
    case 'rcs':
      return findRcsFormat(step.formatId) ? undefined : { kind: 'rcsTemplate', key: step.formatId };
    default:
      return undefined;
  }
}

/** The fields in which they differ. A message of an RCS template consists of its values, which are not compared. */
export function differencesFrom(template: TemplateEntry, step: Step): string[] {
  if (step.channel === 'alimtalk' && template.kind === 'alimtalkTemplate') return differences(step, template);
  if (step.channel === 'brandmessage' && template.kind === 'brandmessageTemplate')
    return brandDifferences(step, template);
  return [];
}

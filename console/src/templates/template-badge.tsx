import type { TemplateState } from '../../../src/domain/registry/template-state.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { lookUp, useWords } from '../words/words.tsx';

export const TEMPLATE_TONES: Readonly<Record<TemplateState, Tone>> = {
  draft: 'plain',
  review: 'busy',
  approved: 'good',
  rejected: 'bad',
};

export function TemplateBadge({ state }: { state: TemplateState }) {
  const t = useWords();
  return <Badge tone={TEMPLATE_TONES[state]}>{lookUp(t.templates.states, state)}</Badge>;
}

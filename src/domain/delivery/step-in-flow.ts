/** A step as its recipient gets it, with the step that its flow begins with: the fallback of an advertisement is one too. */
import { renderStep, type Words } from '../text/substitution.ts';
import type { Flow, Step } from './flow.ts';

export interface StepInFlow {
  readonly step: Step;
  readonly first: Step;
}

/** Undefined where the flow has no such step. */
export function stepInFlow(flow: Flow, index: number, words: Words | undefined): StepInFlow | undefined {
  const [first] = flow;
  const step = flow[index];
  if (!first || !step) return undefined;
  const rendered = renderStep(step, words);
  return { step: rendered, first: index === 0 ? rendered : renderStep(first, words) };
}

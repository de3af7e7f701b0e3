/** The result of the gateway's check of a request, assigned to the fields it is about. */
import type { Checked, Measure, Warning } from '../gateway/accounts.ts';

export interface FieldFeedback {
  /** The problem of the field at this path of this step. */
  readonly problemAt: (step: number, path: string) => string | undefined;
  readonly measuresAt: (step: number, path: string) => readonly Measure[];
  readonly recipient: string | undefined;
  /** A problem that belongs to no field that is shown. */
  readonly general: string | undefined;
  readonly isOk: boolean;
  /** Keys of placeholders that have no value. */
  readonly unfilled: readonly string[];
  /** What is probably not meant in this step. */
  readonly warningsAt: (step: number) => readonly Warning[];
}

interface FieldPath {
  readonly step: number;
  readonly path: string;
}

export function feedbackOf(checked: Checked | undefined): FieldFeedback {
  const problem = checked?.problem ?? undefined;
  const warnings = checked?.warnings ?? [];
  const named = problem && /"([^"]+)"/.exec(problem.result)?.[1];
  const at = named === undefined ? undefined : fieldPath(named);
  const isRecipient = at?.path === 'to' || at?.path === 'destinations.0.to';
  return {
    problemAt: (step, path) =>
      problem && at && at.step === step && isSamePlace(at.path, path) ? problem.result : undefined,
    measuresAt: (step, path) =>
      (checked?.steps[step]?.measures ?? []).filter(
        ({ field }) => measuredPath(field) === path || field === path,
      ),
    recipient: isRecipient ? problem?.result : undefined,
    general: problem && `${problem.result} (${problem.code})`,
    isOk: checked !== undefined && problem === undefined,
    unfilled: [...new Set(warnings.filter(({ name }) => name === 'placeholder').flatMap(({ keys }) => keys))],
    warningsAt: place => warnings.filter(({ step }) => step === place),
  };
}

/** `messageFlow[1].rcs.content.carousel[0].text` → step 1, `content.carousel.0.text`. */
function fieldPath(name: string): FieldPath {
  const path = name.replaceAll(/\[(\d+)\]/g, '.$1');
  const inFlow = /^messageFlow\.(\d+)\.\w+\.(.*)$/.exec(path);
  if (inFlow) return { step: Number(inFlow[1]), path: inFlow[2] ?? '' };
  return { step: 0, path };
}

/** RCS is measured in the carriers' form: `description2` is the text of the second card. */
function measuredPath(field: string): string {
  const [, key, number] = /^(title|description)(\d*)$/.exec(field) ?? [];
  if (key === undefined) return field;
  const name = key === 'description' ? 'text' : key;
  return number ? `content.carousel.${Number(number) - 1}.${name}` : `content.standalone.${name}`;
}

/** A problem inside a list or an object is shown at the field that edits it. */
function isSamePlace(reported: string, shown: string): boolean {
  return reported === shown || reported.startsWith(`${shown}.`);
}

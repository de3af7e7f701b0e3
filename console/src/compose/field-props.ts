import type { Entry } from './entry.ts';
import type { FieldFeedback } from './field-feedback.ts';
import type { FieldRow } from './field-row.ts';

export interface FieldProps {
  readonly account: string;
  /** The step of the flow that the field belongs to. */
  readonly step: number;
  /** What to put before the path of the row: the place of its list item in the step, or nothing. */
  readonly head: string;
  readonly feedback: FieldFeedback;
  readonly row: FieldRow;
  readonly entry: Entry;
  readonly onChange: (entry: Entry) => void;
}

/** Jobs: the steps that are on their way. */
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import { READY } from '../phase.ts';
import { bigint, type ColumnsOf, integer, optional, smallint, text } from './columns.ts';
import { CONTENT_COLUMNS, type Content } from './message-columns.ts';

type JobStep = Omit<LiveStep, keyof Content>;
type StepChange = Omit<JobStep, 'msgKey' | 'account'>;

/** Of the table `job`: what settling a step may change of it. */
export const STEP_COLUMNS: ColumnsOf<StepChange> = {
  step: integer('step'),
  state: text('state'),
  attempt: integer('attempt'),
  carrier: text('carrier'),
  claim: optional(text('claim')),
  repeatUntil: optional(bigint('repeat_until')),
  parts: optional(text('parts')),
  submittedAt: optional(bigint('submitted_at')),
  deadlineAt: bigint('deadline_at'),
};

/** Of the table `job`: a whole step, but for the content of its message. */
export const JOB_COLUMNS: ColumnsOf<JobStep> = {
  msgKey: text('msg_key'),
  account: text('account'),
  ...STEP_COLUMNS,
};

/** Of the table `job`: its position in the queue; see phase.ts. */
export const QUEUE_COLUMNS: ColumnsOf<{ readonly phase: number; readonly dueAt: number }> = {
  phase: smallint('phase'),
  dueAt: bigint('due_at'),
};

const { msgKey, account, carrier, deadlineAt } = JOB_COLUMNS;
/** Of the table `job`: what differs between jobs of messages that are accepted, and what does not. */
export const NEW_JOB_COLUMNS = {
  ...{ msgKey, account, carrier, deadlineAt },
  dueAt: QUEUE_COLUMNS.dueAt,
  rank: smallint('rank'),
};
export const NEW_JOB_CONSTANTS = { phase: READY, state: "'queued'", step: 0, attempt: 0 };
/** The same, as it is read. */
export const NEW_STEP = {
  step: 0,
  state: 'queued',
  attempt: 0,
  claim: undefined,
  repeatUntil: undefined,
  parts: undefined,
  submittedAt: undefined,
} as const satisfies Partial<StepChange>;

/** Of a job joined with the content of its message. */
export const LIVE_STEP_COLUMNS: ColumnsOf<LiveStep> = { ...JOB_COLUMNS, ...CONTENT_COLUMNS };

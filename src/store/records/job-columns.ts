/** Jobs: the steps that are on their way. */
import type { StepState } from '../../domain/delivery/lifecycle.ts';
import type { LiveStep } from '../../domain/delivery/settlement.ts';
import { ASIDE_MS, CLAIMED, READY } from '../phase.ts';
import type { NewRequest } from '../port/message-store.ts';
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
  deadlineAt: { ...bigint('deadline_at'), read: stored => Number(stored) % ASIDE_MS },
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

/** Of the table `job`: whether it queues, or is claimed and by whom. */
interface NewTurn {
  readonly phase: number;
  readonly state: StepState;
  readonly attempt: number;
  readonly owner: string | undefined;
  readonly claim: string | undefined;
  readonly claimedAt: number | undefined;
}
const CLAIM_COLUMNS: ColumnsOf<NewTurn> = {
  phase: QUEUE_COLUMNS.phase,
  state: STEP_COLUMNS.state,
  attempt: STEP_COLUMNS.attempt,
  owner: optional(text('owner')),
  claim: STEP_COLUMNS.claim,
  claimedAt: optional(bigint('claimed_at')),
};

const { msgKey, account, carrier, deadlineAt } = JOB_COLUMNS;
/** Of the table `job`: what the jobs of one request have in common when it is accepted. */
export const NEW_JOBS_COLUMNS = { deadlineAt, rank: smallint('rank'), ...CLAIM_COLUMNS };
/** Of the table `job`: what differs between accepted messages, and what does not. */
export const NEW_JOB_COLUMNS = {
  ...{ msgKey, account, carrier },
  dueAt: QUEUE_COLUMNS.dueAt,
  ...NEW_JOBS_COLUMNS,
};
export const NEW_JOB_CONSTANTS = { step: 0 };

const QUEUED: NewTurn = {
  phase: READY,
  state: 'queued',
  attempt: 0,
  owner: undefined,
  claim: undefined,
  claimedAt: undefined,
};

/** Of the table `job`: what differs between accepted messages that queue, and what does not, as SQL. */
export const QUEUED_JOB_COLUMNS = {
  ...{ msgKey, account, carrier, deadlineAt },
  dueAt: QUEUE_COLUMNS.dueAt,
  rank: NEW_JOBS_COLUMNS.rank,
};
export const QUEUED_JOB_CONSTANTS = {
  ...NEW_JOB_CONSTANTS,
  phase: QUEUED.phase,
  state: `'${QUEUED.state}'`,
  attempt: QUEUED.attempt,
};

/** Where the job of an accepted message begins; first-step.ts says the same of its step. */
export function newTurn({ claim, acceptedAt }: Pick<NewRequest, 'claim' | 'acceptedAt'>): NewTurn {
  return claim
    ? { phase: CLAIMED, state: 'submitting', attempt: 1, ...claim, claimedAt: acceptedAt }
    : QUEUED;
}

/** Of a job joined with the content of its message. */
export const LIVE_STEP_COLUMNS: ColumnsOf<LiveStep> = { ...JOB_COLUMNS, ...CONTENT_COLUMNS };

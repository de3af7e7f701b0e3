/** How long a step may stay without a receipt before silence counts as its outcome, in milliseconds. */
export interface DeadlineSettings {
  readonly textMs: number;
  readonly mmsMs: number;
  readonly messengerMs: number;
}

/**
 * Writes sums that are collected in memory, every few seconds. A batch that could not be written is kept as it is and given again
 * under its number, until the store says that it has it: the answer may have been lost after the commit.
 */
import type { Clock } from '../platform/clock.ts';
import type { SumBatch } from '../store/store.ts';
import { type Background, backgroundTask, type FailureEvents } from './background.ts';

export class SumsWriter<Sum> {
  readonly #clock: Clock;
  readonly #writer: string;
  readonly #take: () => readonly Sum[];
  readonly #add: (batch: SumBatch<Sum>) => Promise<void>;
  readonly #onFailure: (error: unknown) => void;
  readonly #writing: Background;
  #number = 0;
  #unwritten: readonly Sum[] = [];

  constructor(deps: {
    readonly clock: Clock;
    readonly events: FailureEvents;
    readonly task: 'write statistics' | 'write sums of carriers';
    /** Unique to this process and these sums. */
    readonly writer: string;
    /** Takes what was collected since the last time. */
    readonly take: () => readonly Sum[];
    readonly add: (batch: SumBatch<Sum>) => Promise<void>;
  }) {
    this.#clock = deps.clock;
    this.#writer = deps.writer;
    this.#take = deps.take;
    this.#add = deps.add;
    this.#onFailure = error => deps.events.failed(deps.task, error);
    this.#writing = backgroundTask(deps, deps.task, () => this.#write());
  }

  start(): void {
    this.#writing.start();
  }

  /** Writes for the last time, if the store takes it. */
  async stop(): Promise<void> {
    await this.#writing.stop();
    await this.#write().catch(this.#onFailure);
  }

  /** First what could not be written before. */
  async #write(): Promise<void> {
    await this.#writeBatch();
    this.#unwritten = this.#take();
    this.#number++;
    await this.#writeBatch();
  }

  async #writeBatch(): Promise<void> {
    if (this.#unwritten.length === 0) return;
    await this.#add({
      writer: this.#writer,
      number: this.#number,
      writtenAt: this.#clock.now(),
      sums: this.#unwritten,
    });
    this.#unwritten = [];
  }
}

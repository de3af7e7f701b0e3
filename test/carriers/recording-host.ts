/** The gateway as a carrier sees it: notes whatever the carrier tells, and refuses receipts when asked to. */
import type {
  CarrierHost,
  CarrierInbound,
  CarrierReceipt,
  InboundName,
  PartAnswers,
  ReceiptResult,
  SilentMessage,
  SilentQuery,
  SubmitAnswer,
} from '../../src/carriers/carrier.ts';

export class RecordingHost implements CarrierHost {
  readonly receipts: CarrierReceipt[] = [];
  /** Sizes of the calls that receipts came in. */
  readonly calls: number[] = [];
  readonly notices: string[] = [];
  /** Details of the notices, in the same order. */
  readonly details: Readonly<Record<string, string | number | boolean>>[] = [];
  statusChanges = 0;
  /** Settling takes as long as this. */
  delay: Promise<void> | undefined;
  /** So many calls of `receive` will fail. */
  refusals = 0;

  /** Which receipts match nothing. */
  isParked: (receipt: CarrierReceipt) => boolean = () => false;
  /** References that messages have, with their recipients. */
  readonly known = new Map<string, string[]>();
  throttledParts = 0;
  /** Rests of messages are submitted at once; otherwise they are kept here. */
  hasRoom = true;
  readonly rests: { readonly parts: number; submit(): void }[] = [];
  lookUps = 0;
  /** So many calls of `knownRefs` will fail. */
  lookUpFailures = 0;
  /** Answers that came after their submit was told to be unknown. */
  readonly lateAnswers: { readonly attemptId: string; readonly answer: SubmitAnswer }[] = [];

  async receive(receipts: readonly CarrierReceipt[]): Promise<readonly ReceiptResult[]> {
    this.calls.push(receipts.length);
    await this.delay;
    if (this.refusals > 0) {
      this.refusals--;
      throw new Error('the store is away');
    }
    this.receipts.push(...receipts);
    return receipts.map(receipt => (this.isParked(receipt) ? 'parked' : 'settled'));
  }

  readonly inbound: CarrierInbound[] = [];
  readonly confirmed: InboundName[] = [];
  /** So many calls of `receiveInbound` will fail. */
  inboundRefusals = 0;

  async receiveInbound(messages: readonly CarrierInbound[]): Promise<readonly InboundName[]> {
    await this.delay;
    if (this.inboundRefusals > 0) {
      this.inboundRefusals--;
      throw new Error('the store is away');
    }
    const before = this.inbound.length;
    this.inbound.push(...messages);
    return messages.map((_, index) => ({ part: before + index }));
  }

  async confirmInbound(names: readonly InboundName[]): Promise<void> {
    this.confirmed.push(...names);
  }

  answeredLate(attemptId: string, answer: SubmitAnswer): void {
    this.lateAnswers.push({ attemptId, answer });
  }

  partlyTaken(_attemptId: string, { throttled }: PartAnswers): void {
    this.throttledParts += throttled;
  }

  /** The gate that is told, if there is one. */
  onRefused: (reason: string) => void = () => {};

  refused(reason: string): void {
    this.onRefused(reason);
  }

  submitRest(_attemptId: string, parts: number, submit: () => void): void {
    if (this.hasRoom) submit();
    else this.rests.push({ parts, submit });
  }

  async knownRefs(refs: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>> {
    this.lookUps++;
    if (this.lookUpFailures > 0) {
      this.lookUpFailures--;
      throw new Error('the store is away');
    }
    return new Map([...this.known].filter(([ref]) => refs.includes(ref)));
  }

  /** Messages without a receipt, as the next calls of `silent` tell them. */
  readonly silentMessages: SilentMessage[] = [];

  async silent({ limit }: SilentQuery): Promise<readonly SilentMessage[]> {
    return this.silentMessages.toSorted((a, b) => a.deadlineAt - b.deadlineAt).slice(0, limit);
  }

  statusChanged(): void {
    this.statusChanges++;
  }

  noticed(name: string, details: Readonly<Record<string, string | number | boolean>> = {}): void {
    this.notices.push(name);
    this.details.push(details);
  }

  /** Whether this node is the one that fetches receipts. */
  isPolling = true;
  timesLeft = 0;

  async mayPoll(): Promise<boolean> {
    return this.isPolling;
  }

  async leavePolling(): Promise<void> {
    this.timesLeft++;
  }

  /** References of the receipts so far. */
  refs(): string[] {
    return this.receipts.flatMap(receipt => ('ref' in receipt ? [receipt.ref] : []));
  }
}

/**
 * What the gateway has to know about a channel. Each channel describes itself in its own file; channel-table.ts gathers
 * the descriptions, and everything that differs by channel reads them there.
 *
 * Members that take a step are methods, not function properties: TypeScript compares the parameters of methods
 * in both directions, so the description of one channel can be used as that of "some step's channel" (see `channelOf`).
 */
import type { DeadlineSettings } from '../delivery/deadlines.ts';
import type { ImageFacts } from '../images/image-facts.ts';
import type { ImageRule } from '../images/image-rules.ts';
import type { Registered } from '../registry/registered.ts';
import type { RegistryRef } from '../registry/registry.ts';
import type { ChannelFamily } from '../reports/report-codes.ts';
import type { Fields, JsonSchema, Reading } from '../request/fields.ts';
import type { Measure } from '../request/measures.ts';
import type { Problem } from '../request/problem.ts';
import type { ChannelStep, SingleSendOf } from './channel.ts';

/** `Fallback`: the steps that a single send on this channel may have as its fallback. */
export interface ChannelDescription<Step extends ChannelStep, Fallback extends ChannelStep = never> {
  /** Channels of one family share their report codes. */
  readonly family: ChannelFamily;
  readonly request: ChannelRequest<Step, Fallback>;
  readonly registry: ChannelRegistry<Step>;
  /** Absent where messages have no files. */
  readonly files?: ChannelFiles<Step>;
  readonly report: ChannelReport<Step>;
  /** How long the step may stay without a receipt. */
  deadlineMs(step: Step, settings: DeadlineSettings): number;
  /** Whether its deadline is the client's: carriers are told to give up then. */
  hasOwnTime?(step: Step): boolean;
  readonly advertisement: ChannelAdvertisement<Step>;
  /** The text of a message that carriers may send in parts, each with a receipt of its own. */
  textInParts?(step: Step): string;
  /** Whether recipients can block the messages of one sender. */
  readonly recipientsCanBlock: boolean;
}

/** What makes a message an advertisement, and the marks that the law asks of one; see text/advertisement-mark.ts. */
interface ChannelAdvertisement<Step extends ChannelStep> {
  /** Whether a field of it says so. Absent where no field does. */
  isFlagged?(step: Step): boolean;
  /** With (광고) at the head of one of these it is an advertisement, whatever the flag says. */
  textsOf(step: Step): readonly (string | undefined)[];
  /** Which mark is missing. `isFallbackOfOne`: it is one whatever it says itself. */
  problem?(step: Step, isFallbackOfOne: boolean): string | undefined;
}

/** From a client's request to a step, and back. */
interface ChannelRequest<Step extends ChannelStep, Fallback extends ChannelStep> {
  /** What the readers read, for the API document. */
  readonly fields: RequestFields;
  /** JSON Schema of rules between fields, added to the schema of the fields. */
  readonly schemaRule?: JsonSchema;
  readSingle(body: unknown): SingleSendOf<Step | Fallback> | Problem;
  /** Reads an entry of a flow; absent where flows cannot contain the channel. */
  readEntry?(entry: unknown, reading: Reading, path: string): Step | Problem;
  /** Lengths and their limits; the message need not be valid. */
  measure(message: unknown): Measure[];
  /** The request fields that read as this step: without what reading has added. */
  write(step: Step): object;
  /** How the client wrote what can be written in several ways; the message need not be valid. */
  styleOf?(message: unknown): string | undefined;
  /** What a field of the step is called in that style. */
  nameIn?(style: string, field: string): string;
  /** Whether a single send can express all of it. */
  fitsSingleSend(step: Step): boolean;
}

/** Fields of a single send and of an entry of a flow; for each msgType where limits differ by it. */
export type RequestFields =
  | { readonly single: Fields; readonly entry?: Fields }
  | { readonly byType: FieldsByType };

export type FieldsByType = Readonly<Record<string, { readonly single: Fields; readonly entry: Fields }>>;

/** What is asked of the registry before a step is accepted. */
interface ChannelRegistry<Step extends ChannelStep> {
  /** For accounts with registry enforcement. */
  readonly enforced: RegistryRule<Step>;
  /** For the others. */
  readonly unenforced?: RegistryRule<Step>;
  /** Adds to the step what the registry knows about it. */
  readonly completion?: {
    wanted(step: Step): RegistryRef[];
    complete(step: Step, registered: Registered): Step;
  };
}

/** A check in two moves, so that a send queries the store once: `wanted` names the entries that `problem` looks up. */
export interface RegistryRule<Step> {
  wanted(step: Step): RegistryRef[];
  /**
   * Why this step may not be sent, by the name of the step's field. In a flow, whose channels do not ask for it, `to` may be
   * undefined. `template`: what depends on the words of a recipient is no problem yet.
   */
  problem(step: Step, to: string | undefined, registered: Registered, reading: Reading): Problem | undefined;
}

/** The uploaded files that a message uses. */
interface ChannelFiles<Step extends ChannelStep> {
  /** `key`: by the file key itself; `media`: by a `maapfile://` reference that holds it; `address`: by an address that ends with it. */
  readonly namedBy: 'key' | 'media' | 'address';
  /** Each place of the step that names a file. */
  uses(step: Step): readonly FileUse[];
  /** What is wrong with the images for this message. Files that `find` does not know were not uploaded here. */
  problem?(step: Step, find: (name: string) => ImageFacts | undefined): Problem | undefined;
}

export interface FileUse {
  readonly field: string;
  /** As the step has it. */
  readonly name: string;
  /** What an upload for this place must be. */
  readonly rule: ImageRule;
}

/** The words of a report about a step. */
interface ChannelReport<Step extends ChannelStep> {
  msgType(step: Step): string;
  /** The parts a text was sent in, where reports show them. */
  resCnt?(step: Step): string;
  /** Whether its report says if the recipient is a friend of the sender's channel. */
  hasUserType?(step: Step): boolean;
}

/** `write` for channels whose reader adds nothing but the channel's name. */
export function withoutChannel<Step extends ChannelStep>({ channel, ...fields }: Step): object {
  return fields;
}

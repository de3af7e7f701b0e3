/**
 * What the gateway has to know about a channel. Each channel describes itself in its own file; channel-table.ts gathers
 * the descriptions, and everything that differs by channel reads them there.
 *
 * Members that take a step are methods, not function properties: only so may the description of one channel stand for
 * "the description of this step's channel" (see `channelOf`).
 */
import type { DeadlineSettings } from '../delivery/deadlines.ts';
import type { ImageFacts } from '../images/image-facts.ts';
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
  /** Left out where messages hold no files, or name them by addresses that cannot be checked. */
  readonly files?: ChannelFiles<Step>;
  readonly report: ChannelReport<Step>;
  /** How long the step may stay without a receipt. */
  deadlineMs(step: Step, settings: DeadlineSettings): number;
  isAdvertisement(step: Step): boolean;
  /** The text of a message that carriers may send in parts, each with a receipt of its own. */
  textInParts?(step: Step): string;
  /** Whether recipients can block the messages of one sender. */
  readonly recipientsCanBlock: boolean;
}

/** From a client's request to a step, and back. */
interface ChannelRequest<Step extends ChannelStep, Fallback extends ChannelStep> {
  /** For the API document; what the readers read. */
  readonly fields: RequestFields;
  /** What the fields alone do not say, added to their JSON Schema. */
  readonly schemaRule?: JsonSchema;
  readSingle(body: unknown): SingleSendOf<Step | Fallback> | Problem;
  /** Reads an entry of a flow; left out where flows cannot hold the channel. */
  readEntry?(entry: unknown, reading: Reading, path: string): Step | Problem;
  /** Lengths and their limits, of a message in order or not. */
  measure(message: unknown): Measure[];
  /** The fields that read as this step: as a client writes them, without what reading has added. */
  write(step: Step): object;
  /** Whether a single send can say all of it. */
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

/** Two moves, so that a send asks the store once: `wanted` names what `problem` looks up. */
export interface RegistryRule<Step> {
  wanted(step: Step): RegistryRef[];
  /** Why this step may not go to this recipient. */
  problem(step: Step, to: string, registered: Registered): Problem | undefined;
}

/** The uploaded files that a message uses. */
interface ChannelFiles<Step extends ChannelStep> {
  /** `key`: by the file key itself; `media`: by a `maapfile://` reference that holds it. */
  readonly namedBy: 'key' | 'media';
  namesIn(step: Step): readonly string[];
  /** What is wrong with the images for this message. A name that `find` does not know is none of ours. */
  problem?(step: Step, find: (name: string) => ImageFacts | undefined): Problem | undefined;
}

/** How reports speak of a step. */
interface ChannelReport<Step extends ChannelStep> {
  msgType(step: Step): string;
  /** The parts a text was sent in, where reports show them. */
  resCnt?(step: Step): string;
  /** Whether its report says if the recipient is a friend of the sender's channel. */
  hasUserType?(step: Step): boolean;
}

/** What a client writes of a step of which reading has added nothing but the channel. */
export function withoutChannel<Step extends ChannelStep>({ channel, ...fields }: Step): object {
  return fields;
}

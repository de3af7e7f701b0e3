/**
 * A send as the service wants it: the single send of the channel where that can express the message, else a combined
 * send. In a combined send the service replaces `#{key}`; what we send has its words already, so whatever still looks
 * like a placeholder stands for itself.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { channelOf } from '../../domain/channels/channel-table.ts';
import type { Step } from '../../domain/delivery/flow.ts';
import { holdsPlaceholders, PLACEHOLDER } from '../../domain/text/substitution.ts';
import { sha256 } from '../../platform/hashing.ts';
import type { Submission } from '../carrier.ts';
import { memberOf } from '../http/pointer.ts';
import { destinationRef, requestRef } from './references.ts';
import type { SessionRequest } from './session.ts';

type Fields = Readonly<Record<string, unknown>>;

/** `refs`: whether the destinations of a combined send have references of their own. */
export type SendForm = { readonly kind: 'single' } | { readonly kind: 'combined'; readonly refs: boolean };

/** Single sends of these channels have fewer fields than entries of a flow. */
const SINGLE_FIELDS: Readonly<Partial<Record<Channel, readonly string[]>>> = {
  // biome-ignore format: one line for each channel
  rcs: ['from', 'formatId', 'brandKey', 'brandId', 'expiryOption', 'header', 'footer', 'body', 'buttons'],
  alimtalk: ['senderKey', 'msgType', 'templateCode', 'text', 'title', 'header', 'link', 'button'],
  friendtalk: ['senderKey', 'msgType', 'text', 'imgUrl', 'button'],
};

/** Entries of a flow cannot have it. */
const SINGLE_ONLY: readonly Channel[] = ['international'];

export function canCombine({ channel }: Step): boolean {
  return !SINGLE_ONLY.includes(channel);
}

/** The fields of a single send; undefined where only an entry of a flow has room for all of them. */
export function singleFieldsOf(message: Step): Fields | undefined {
  const { channel } = message;
  const { request } = channelOf(message);
  if (!request.fitsSingleSend(message)) return undefined;
  const { attachment, ...written } = request.write(message) as Fields;
  const fields = { ...written, ...outsideAttachment(attachment) };
  const known = SINGLE_FIELDS[channel];
  const isKnown = (name: string) => known === undefined || known.includes(name);
  return Object.keys(fields).every(isKnown) ? fields : undefined;
}

/** Buttons and image of a single send are beside the text; whatever else is attached stays, and has no place there. */
function outsideAttachment(attachment: unknown): Fields {
  if (typeof attachment !== 'object' || attachment === null) return {};
  const { button, image, ...rest } = attachment as Fields;
  const imgUrl = memberOf(image, 'imgUrl');
  const isPlainImage =
    image === undefined || (imgUrl !== undefined && memberOf(image, 'imgLink') === undefined);
  if (!isPlainImage || Object.keys(rest).length > 0) return { attachment };
  return { ...(imgUrl !== undefined && { imgUrl }), ...(button !== undefined && { button }) };
}

/** `message`: as it goes out, the same for all; references to files may have been replaced. */
export function sendRequest(
  submissions: readonly Submission[],
  message: Step,
  form: SendForm,
): SessionRequest {
  const attemptIds = submissions.map(({ attemptId }) => attemptId);
  const [first = ''] = attemptIds;
  const trace = traceOf(submissions);
  const { channel } = message;
  if (form.kind === 'single') {
    const body = { to: submissions[0]?.to, ...singleFieldsOf(message), ref: first };
    return post(`/v1/send/${channel}`, body, { ...trace, 'idempotency-key': first });
  }
  const words = holdsPlaceholders(message) ? { replaceWords: standingForThemselves(message) } : {};
  const body = {
    messageFlow: [{ [channel]: channelOf(message).request.write(message) }],
    destinations: submissions.map(({ to, attemptId }) => ({
      to,
      ...words,
      ...(form.refs && { ref: destinationRef(attemptId) }),
    })),
    ref: requestRef(attemptIds),
  };
  const key = attemptIds.length === 1 ? first : sha256(attemptIds.join(' '));
  return post('/v1/send/omni', body, { ...trace, 'idempotency-key': key });
}

/** A call belongs to a trace if all of its messages do. */
function traceOf([first, ...others]: readonly Submission[]): { readonly traceparent?: string } {
  const traceparent = first?.traceparent;
  const isTraced = traceparent !== undefined && others.every(each => each.traceparent === traceparent);
  return isTraced ? { traceparent } : {};
}

function post(path: string, body: object, headers: Readonly<Record<string, string>>): SessionRequest {
  return { method: 'POST', path, json: JSON.stringify(body), headers };
}

function standingForThemselves(message: Step): Record<string, string> {
  const words: Record<string, string> = {};
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      for (const [whole, key = ''] of value.matchAll(PLACEHOLDER)) words[key] = whole;
    } else if (typeof value === 'object' && value !== null) {
      for (const member of Object.values(value)) collect(member);
    }
  };
  collect(message);
  return words;
}

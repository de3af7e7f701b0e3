/**
 * What operators see of the people to whom messages go: a number without its middle, no text. One mechanism for every
 * answer of the operator API that is not declared (src/operations/ marks what is masked of the others). Each member of a view is
 * decided here, or it does not compile; the texts of a step are masked unless their names are listed as harmless, so that what a
 * new channel brings is masked until somebody decides.
 */
import type { Flow } from '../domain/delivery/flow.ts';
import type { HistoryEntry } from '../domain/delivery/settlement.ts';
import type { Role } from '../domain/operator/role.ts';
import { withoutSecrets } from '../domain/reports/webhook.ts';
import { maskNumber, maskNumbersIn } from '../domain/request/phone-number.ts';
import type { Words } from '../domain/text/substitution.ts';
import type { LiveRow } from '../observe/live-feed.ts';
import type { Sight } from '../operations/shapes.ts';
import type { FoundMessage, MessageView, StoredInbound } from '../store/store.ts';

/** Who sees masked values only. */
export type Masking = 'everyone' | 'non-admins';

export type SightOf = (role: Role) => Sight;

const HIDDEN = '***';
/** A refusal may quote the address of an image or a link of the message. */
const ADDRESS = /\b(?:maapfile|https?):\/\/\S+/gi;

/** Names, keys and options of a step: they say how it is sent, not what. */
const HARMLESS: ReadonlySet<string> = new Set([
  ...['channel', 'type', 'msgType', 'sendType', 'ttl', 'from', 'originCID'],
  ...['fileKey', 'formatId', 'templateKind', 'contentKind', 'templateCode', 'bizFormId', 'bizFormKey'],
  ...['brandId', 'brandKey', 'agencyId', 'agencyKey', 'groupId', 'groupTagKey', 'senderKey', 'senderId'],
  ...['copyAllowed', 'expiryOption', 'adFlag', 'adult', 'pushAlarm', 'targeting'],
]);

/** Leaves a member as it is. */
const clear = <T>(value: T): T => value;

type Masks<T> = { readonly [Name in keyof T]-?: (value: T[Name]) => T[Name] };

const MESSAGE: Masks<MessageView> = {
  msgKey: clear,
  account: clear,
  to: maskNumber,
  words: words => words && maskWords(words),
  // Chosen by the client to find the message again; docs/operators.md asks for no personal data in it.
  ref: clear,
  groupKey: clear,
  paymentCode: clear,
  flow: maskFlow,
  textRemovedAt: clear,
  acceptedAt: clear,
  state: clear,
  step: clear,
  attempt: clear,
  history: history => history.map(entry => masked(HISTORY, entry)),
};

const HISTORY: Masks<HistoryEntry> = {
  at: clear,
  step: clear,
  attempt: clear,
  event: clear,
  carrier: clear,
  code: clear,
  why: why => (why === undefined ? why : maskNumbersIn(why).replaceAll(ADDRESS, HIDDEN)),
  until: clear,
  parts: clear,
};

const FOUND: Masks<FoundMessage> = {
  msgKey: clear,
  account: clear,
  to: maskNumber,
  ref: clear,
  groupKey: clear,
  channels: clear,
  step: clear,
  state: clear,
  code: clear,
  carrier: clear,
  acceptedAt: clear,
  finishedAt: clear,
  fate: clear,
};

const LIVE: Masks<LiveRow> = {
  at: clear,
  msgKey: clear,
  account: clear,
  to: to => (to === null ? to : maskNumber(to)),
  channel: clear,
  event: clear,
  state: clear,
  code: clear,
  carrier: clear,
};

const INBOUND: Masks<StoredInbound> = {
  msgKey: clear,
  account: clear,
  carrier: clear,
  to: clear,
  from: maskNumber,
  text: text => (text === undefined ? text : HIDDEN),
  keyword: clear,
  receivedAt: clear,
  fetchedAt: clear,
  handover: clear,
  reply: clear,
};

export function createSightOf(masking: Masking): SightOf {
  return role => (masking === 'non-admins' && role === 'admin' ? 'clear' : 'masked');
}

export const shownMessage = (message: MessageView, sight: Sight): MessageView =>
  show(MESSAGE, message, sight);
export const shownFound = (found: FoundMessage, sight: Sight): FoundMessage => show(FOUND, found, sight);
export const shownLive = (row: LiveRow, sight: Sight): LiveRow => show(LIVE, row, sight);
export const shownInbound = (message: StoredInbound, sight: Sight): StoredInbound =>
  show(INBOUND, message, sight);

/** The token in a webhook URL is for those who may set it. */
export function shownUrl(url: string | null, role: Role): string | null {
  return url === null || role === 'admin' ? url : withoutSecrets(url);
}

function show<T extends object>(masks: Masks<T>, view: T, sight: Sight): T {
  return sight === 'clear' ? view : masked(masks, view);
}

function masked<T extends object>(masks: Masks<T>, view: T): T {
  const copy: Record<string, unknown> = {};
  for (const [name, mask] of Object.entries<(value: never) => unknown>(masks)) {
    if (Object.hasOwn(view, name)) copy[name] = mask(view[name as keyof T] as never);
  }
  return copy as T;
}

function maskWords(words: Words): Words {
  return Object.fromEntries(Object.keys(words).map(key => [key, HIDDEN]));
}

export function maskFlow(flow: Flow): Flow {
  return flow.map(maskTexts);
}

function maskTexts<T>(value: T): T {
  if (typeof value === 'string') return (value === '' ? value : HIDDEN) as T;
  if (Array.isArray(value)) return value.map(maskTexts) as T;
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    HARMLESS.has(name) ? member : maskTexts(member),
  ]);
  return Object.fromEntries(members) as T;
}

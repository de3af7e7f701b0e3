/**
 * The gateway keeps an RCS message in the carriers' form, `body` and `buttons`. Here it becomes the `content` that the
 * composer edits, unless that would change the message: keys and buttons that `content` cannot express stay as they are.
 */
import { type Entry, isEntry } from './entry.ts';
import { rcsFormat } from './rcs-formats.ts';

/** The message with its `content`, or as it was. */
export function withContent(entry: Entry): Entry {
  const { body, buttons = [], ...rest } = entry;
  if (!isEntry(body) || !Array.isArray(buttons) || 'content' in rest) return entry;
  const content = contentOf(String(entry.formatId ?? ''), body, buttons);
  return content === undefined ? entry : { ...rest, content };
}

function contentOf(formatId: string, body: Entry, buttons: readonly unknown[]): Entry | undefined {
  const format = rcsFormat(formatId);
  if (format.kind === 'template') {
    const isPlain = buttons.length === 0 && Object.values(body).every(value => typeof value === 'string');
    return isPlain ? { template: body } : undefined;
  }
  const cards: Record<string, unknown>[] = Array.from({ length: format.cards }, () => ({}));
  const subs: Record<string, unknown>[] = [];
  for (const [key, value] of Object.entries(body)) {
    const place = placeOf(key, format.kind === 'carousel');
    const list = place?.isSub ? subs : cards;
    if (!place || typeof value !== 'string' || place.index >= (place.isSub ? MOST_SUBS : cards.length))
      return;
    while (list.length <= place.index) list.push({});
    Object.assign(list[place.index] ?? {}, { [place.name]: value });
  }
  // An entry without anything in it would not survive being edited.
  if (subs.some(sub => Object.keys(sub).length === 0) || buttons.length > cards.length) return;
  for (const [index, group] of buttons.entries()) {
    const card = buttonsOf(group);
    if (card === undefined) return;
    if (card.length > 0) Object.assign(cards[index] ?? {}, { button: card });
  }
  if (format.kind === 'carousel') return subs.length === 0 ? { carousel: cards } : undefined;
  return { standalone: { ...cards[0], ...(subs.length > 0 && { subContent: subs }) } };
}

/** More than any format has. */
const MOST_SUBS = 10;
const CARD_NAMES: Readonly<Record<string, string>> = {
  title: 'title',
  description: 'text',
  media: 'media',
  mediaUrl: 'mediaUrl',
};

function placeOf(key: string, isCarousel: boolean) {
  const sub = /^(subTitle|subDesc|subMedia|subMediaUrl)([1-9]\d?)$/.exec(key);
  if (sub) return { isSub: true, name: sub[1] ?? '', index: Number(sub[2]) - 1 };
  const [, word = '', number] = /^([a-zA-Z]+?)([1-9])?$/.exec(key) ?? [];
  const name = CARD_NAMES[word];
  if (name === undefined || (number !== undefined) !== isCarousel) return undefined;
  return { isSub: false, name, index: number === undefined ? 0 : Number(number) - 1 };
}

/** The simple buttons of a card; undefined where one of them says what a simple button cannot. */
function buttonsOf(group: unknown): Entry[] | undefined {
  if (!isEntry(group)) return undefined;
  const { suggestions = [], ...others } = group;
  if (!Array.isArray(suggestions) || Object.keys(others).length > 0) return undefined;
  const buttons = suggestions.map(simpleButton);
  return buttons.every(button => button !== undefined) ? buttons : undefined;
}

interface ActionRow {
  /** Where the fields of the type are in the action. */
  readonly fields: Readonly<Record<string, string>>;
  /** What every action of the type has besides. */
  readonly always: Readonly<Record<string, string>>;
}

const row = (postback: string, fields: ActionRow['fields'], always: ActionRow['always'] = {}): ActionRow => ({
  fields: { ...fields, displayText: 'name' },
  always: { ...always, 'postback.data': `set_by_chatbot_${postback}` },
});

const PLACE = 'mapAction.showLocation.location.';
const FALLBACK_URL = { 'mapAction.showLocation.fallbackUrl': 'fallbackUrl' };
const EVENT = 'calendarAction.createCalendarEvent.';
const RECORDING = 'composeAction.composeRecordingMessage.';
const EMPTY = '{}';

/** As the gateway makes them of simple buttons (src/domain/channels/rcs/buttons.ts). */
const ACTIONS: Readonly<Record<string, ActionRow>> = {
  URL: row('open_url', { 'urlAction.openUrl.url': 'url' }),
  MAP_LOC: row('open_map', {
    [`${PLACE}label`]: 'label',
    [`${PLACE}latitude`]: 'latitude',
    [`${PLACE}longitude`]: 'longitude',
    ...FALLBACK_URL,
  }),
  MAP_QRY: row('open_map', { [`${PLACE}query`]: 'query', ...FALLBACK_URL }),
  MAP_SEND: row('request_location_push', {}, { 'mapAction.requestLocationPush': EMPTY }),
  CALENDAR: row('create_calendar_event', {
    [`${EVENT}startTime`]: 'startTime',
    [`${EVENT}endTime`]: 'endTime',
    [`${EVENT}title`]: 'title',
    [`${EVENT}description`]: 'description',
  }),
  COPY: row('copy_to_clipboard', { 'clipboardAction.copyToClipboard.text': 'text' }),
  COM_T: row('compose_text_message', {
    'composeAction.composeTextMessage.phoneNumber': 'phoneNumber',
    'composeAction.composeTextMessage.text': 'text',
  }),
  COM_V: row(
    'compose_recording_message',
    { [`${RECORDING}phoneNumber`]: 'phoneNumber' },
    { [`${RECORDING}type`]: 'VIDEO' },
  ),
  DIAL: row('dial_phone_number', { 'dialerAction.dialPhoneNumber.phoneNumber': 'phoneNumber' }),
};

function simpleButton(suggestion: unknown): Entry | undefined {
  if (!isEntry(suggestion) || !isEntry(suggestion.action) || Object.keys(suggestion).length > 1) return;
  const leaves = leavesOf(suggestion.action, '');
  for (const [type, { fields, always }] of Object.entries(ACTIONS)) {
    const names = Object.keys(leaves);
    const hasAll = Object.entries(always).every(([path, value]) => leaves[path] === value);
    if (!hasAll || names.length !== Object.keys(fields).length + Object.keys(always).length) continue;
    const given = names.flatMap(path => {
      const field = fields[path];
      return field === undefined ? [] : [[field, leaves[path]] as const];
    });
    if (given.length === Object.keys(fields).length) return { type, ...Object.fromEntries(given) };
  }
  return undefined;
}

/** Values by path; numbers as text, as people enter them, and empty objects as `{}`. Lists are in no simple button. */
function leavesOf(value: unknown, path: string): Readonly<Record<string, string>> {
  if (typeof value === 'string') return { [path]: value };
  if (typeof value === 'number') return { [path]: String(value) };
  if (!isEntry(value)) return { [`${path}?`]: '' };
  const members = Object.entries(value);
  if (members.length === 0) return { [path]: EMPTY };
  const head = path && `${path}.`;
  return Object.assign({}, ...members.map(([name, member]) => leavesOf(member, head + name)));
}

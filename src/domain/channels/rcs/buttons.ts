/**
 * The simple buttons of `content`, and the carrier-standard suggestions they become.
 *
 * One row for each type: its fields beside `type` and `name`, the code that answers a problem in them, and the
 * action of GSMA RCC.07 that carries them. For a format of the table every field of the type is required and checked.
 * For an issued template only `type` and `name` are: the network decides about the rest of its buttons.
 */
import { field, holdsPlaceholder, word } from '../../request/field-kinds.ts';
import { type Field, type Fields, type JsonSchema, readFields, required } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { anyText, exactText } from './text.ts';

/** A button as carriers take it. Expert requests may hold suggestions of other shapes. */
export type RcsSuggestion = Readonly<Record<string, unknown>>;

type Values = Readonly<Record<string, string | undefined>>;

interface ButtonRow {
  /** Answered for a problem in the type's own fields. */
  readonly code: ResultCode;
  readonly fields: Readonly<Record<string, ValueKind>>;
  /** The end of the postback data that names the action, `set_by_chatbot_open_url`. */
  readonly postback: string;
  readonly action: (values: Values) => object;
}

export const RCS_BUTTONS = {
  URL: {
    code: 'A406',
    fields: { url: 'url' },
    postback: 'open_url',
    action: ({ url }) => ({ urlAction: { openUrl: given({ url }) } }),
  },
  MAP_LOC: {
    code: 'A428',
    fields: { label: 'text', latitude: 'latitude', longitude: 'longitude', fallbackUrl: 'url' },
    postback: 'open_map',
    action: ({ label, latitude, longitude, fallbackUrl }) => {
      const location = given({ latitude: numberOf(latitude), longitude: numberOf(longitude), label });
      return { mapAction: { showLocation: given({ location, fallbackUrl }) } };
    },
  },
  MAP_QRY: {
    code: 'A429',
    fields: { query: 'text', fallbackUrl: 'url' },
    postback: 'open_map',
    action: ({ query, fallbackUrl }) => ({
      mapAction: { showLocation: given({ location: given({ query }), fallbackUrl }) },
    }),
  },
  MAP_SEND: {
    code: 'A406',
    fields: {},
    postback: 'request_location_push',
    action: () => ({ mapAction: { requestLocationPush: {} } }),
  },
  CALENDAR: {
    code: 'A430',
    fields: { startTime: 'time', endTime: 'time', title: 'text', description: 'text' },
    postback: 'create_calendar_event',
    action: ({ startTime, endTime, title, description }) => ({
      calendarAction: { createCalendarEvent: given({ startTime, endTime, title, description }) },
    }),
  },
  COPY: {
    code: 'A431',
    fields: { text: 'text' },
    postback: 'copy_to_clipboard',
    action: ({ text }) => ({ clipboardAction: { copyToClipboard: given({ text }) } }),
  },
  COM_T: {
    code: 'A432',
    fields: { phoneNumber: 'phone', text: 'text' },
    postback: 'compose_text_message',
    action: ({ phoneNumber, text }) => ({
      composeAction: { composeTextMessage: given({ phoneNumber, text }) },
    }),
  },
  COM_V: {
    code: 'A433',
    fields: { phoneNumber: 'phone' },
    postback: 'compose_recording_message',
    // Our choice: the simple button does not say voice or video; RCC.07 wants one of AUDIO and VIDEO.
    action: ({ phoneNumber }) => ({
      composeAction: { composeRecordingMessage: given({ phoneNumber, type: 'VIDEO' }) },
    }),
  },
  DIAL: {
    code: 'A434',
    fields: { phoneNumber: 'phone' },
    postback: 'dial_phone_number',
    action: ({ phoneNumber }) => ({ dialerAction: { dialPhoneNumber: given({ phoneNumber }) } }),
  },
} as const satisfies Record<string, ButtonRow>;

export type RcsButtonType = keyof typeof RCS_BUTTONS;

const BUTTON_TYPES = Object.keys(RCS_BUTTONS) as RcsButtonType[];

/** What a field's value must be in a format of the table, as the end of `"url" must be …`. */
const VALUE_KINDS = {
  text: { mustBe: 'a text', isValid: () => true },
  url: { mustBe: 'a full address such as https://example.com', isValid: value => URL.canParse(value) },
  phone: {
    mustBe: 'a telephone number',
    isValid: value => /^[+*#\d][\d\s*#-]{1,24}$/.test(value),
  },
  latitude: { mustBe: 'a number from -90 to 90', isValid: value => isDegree(value, 90) },
  longitude: { mustBe: 'a number from -180 to 180', isValid: value => isDegree(value, 180) },
  time: { mustBe: 'a time such as 2026-03-02T09:30:00+09:00', isValid: isTime },
} as const satisfies Record<string, { mustBe: string; isValid: (value: string) => boolean }>;

type ValueKind = keyof typeof VALUE_KINDS;

const type = required(
  word({ code: 'A426', values: BUTTON_TYPES, description: 'Kind of button; it selects the other fields.' }),
);
const checkedHead = { type, name: required(exactText('A427', 'Label of the button.')) };
const uncheckedHead = { type, name: required(anyText('A427', 'Label of the button.')) };

/** How each type's fields are read in a format of the table. */
const checkedFields = fieldsByType((row, kind) => required(checkedValue(row.code, kind)));

/** How they are read in an issued template. */
const uncheckedFields = fieldsByType(row => anyText(row.code, 'A value of the button.'));

const schema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries([
    ...Object.entries(checkedHead).map(([name, { schema: own }]) => [name, own]),
    ...Object.values(checkedFields).flatMap(fields =>
      Object.entries(fields).map(([name]) => [name, { type: 'string' }]),
    ),
  ]),
  required: ['type', 'name'],
};

/** A simple button, read as the suggestion it becomes. */
export function simpleButton(isChecked: boolean): Field<RcsSuggestion, false> {
  const headFields = isChecked ? checkedHead : uncheckedHead;
  const fieldsOf = isChecked ? checkedFields : uncheckedFields;
  return field<RcsSuggestion>('A406', schema, (value, path, reading) => {
    const head = readFields(headFields, value, reading, path);
    if (head instanceof Problem) return head;
    const values = readFields(fieldsOf[head.type], value, reading, path);
    if (values instanceof Problem) return values;
    const { action, postback } = RCS_BUTTONS[head.type];
    return {
      action: {
        ...action(values as Values),
        displayText: head.name,
        postback: { data: `set_by_chatbot_${postback}` },
      },
    };
  });
}

function fieldsByType(
  fieldOf: (row: ButtonRow, kind: ValueKind) => Field<string>,
): Readonly<Record<RcsButtonType, Fields>> {
  const rows = Object.entries<ButtonRow>(RCS_BUTTONS).map(([type, row]) => {
    const fields = Object.entries(row.fields).map(([name, kind]) => [name, fieldOf(row, kind)]);
    return [type, Object.fromEntries(fields)];
  });
  return Object.fromEntries(rows);
}

function checkedValue(code: ResultCode, kind: ValueKind): Field<string, false> {
  const { mustBe, isValid } = VALUE_KINDS[kind];
  // The specification writes coordinates as strings, everybody else as numbers.
  const isNumeric = kind === 'latitude' || kind === 'longitude';
  const text = (isNumeric ? anyText : exactText)(code, `Must be ${mustBe}.`);
  return {
    ...text,
    read: (value, path, reading) => {
      const read = text.read(value, path, reading);
      if (read instanceof Problem || (reading === 'template' && holdsPlaceholder(read))) return read;
      return isValid(read) ? read : new Problem(code, `"${path}" must be ${mustBe}`);
    },
  };
}

const DECIMAL = /^[+-]?\d{1,3}(\.\d{1,20})?$/;

function isDegree(value: string, most: number): boolean {
  return DECIMAL.test(value) && Math.abs(Number(value)) <= most;
}

/** RCC.07 writes coordinates as numbers; a text that is not a number is passed on. */
function numberOf(value: string | undefined): number | string | undefined {
  return value !== undefined && DECIMAL.test(value) ? Number(value) : value;
}

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(Z|[+-](0\d|1[0-4]):[0-5]\d)$/;

/** `yyyy-MM-dd'T'HH:mm:ssXXX` that names a real day and time: 30 February would come back as 2 March. */
function isTime(value: string): boolean {
  const local = TIME.exec(value)?.[1];
  if (local === undefined) return false;
  const at = Date.parse(`${local}Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(local);
}

/** An object without the members that have no value. */
function given(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/**
 * The simple buttons of `content`, and the carrier-standard suggestions they become.
 *
 * One row for each type: its fields beside `type` and `name`, the code that answers a problem in them, and the
 * action of GSMA RCC.07 that carries them. For a format of the table every field of the type is required and checked.
 * For an issued template only `type` and `name` are: the network decides about the rest of its buttons.
 */
import { field, word } from '../../request/field-kinds.ts';
import { type Field, type Fields, type JsonSchema, readFields, required } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { anyText, exactText } from './text.ts';
import { isNumeric, mustBe, numberOf, orderProblem, type ValueKind, valueProblem } from './value-kinds.ts';

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

const type = required(
  word({ code: 'A426', values: BUTTON_TYPES, description: 'Kind of button; it selects the other fields.' }),
);
const headFields = { type, name: required(exactText('A427', 'Label of the button.')) };

/** How each type's fields are read in a format of the table. */
const checkedFields = fieldsByType((row, kind) => required(checkedValue(row.code, kind)));

/** How they are read in an issued template. */
const uncheckedFields = fieldsByType(row => anyText(row.code, 'A value of the button.'));

const schema: JsonSchema = {
  type: 'object',
  properties: Object.fromEntries([
    ...Object.entries(headFields).map(([name, { schema: own }]) => [name, own]),
    ...Object.values(checkedFields).flatMap(fields =>
      Object.entries(fields).map(([name]) => [name, { type: 'string' }]),
    ),
  ]),
  required: ['type', 'name'],
};

/** A simple button, read as the suggestion it becomes. */
export function simpleButton(isChecked: boolean): Field<RcsSuggestion, false> {
  const fieldsOf = isChecked ? checkedFields : uncheckedFields;
  return field<RcsSuggestion>('A406', schema, (value, path, reading) => {
    const head = readFields(headFields, value, reading, path);
    if (head instanceof Problem) return head;
    const read = readFields(fieldsOf[head.type], value, reading, path);
    if (read instanceof Problem) return read;
    const values = read as Values;
    const problem = isChecked ? timeProblem(head.type, values, path) : undefined;
    if (problem) return problem;
    const { action, postback } = RCS_BUTTONS[head.type];
    return {
      action: {
        ...action(values),
        displayText: head.name,
        postback: { data: `set_by_chatbot_${postback}` },
      },
    };
  });
}

function timeProblem(type: RcsButtonType, { startTime, endTime }: Values, path: string): Problem | undefined {
  if (type !== 'CALENDAR' || startTime === undefined || endTime === undefined) return undefined;
  return orderProblem(startTime, endTime, { path, code: RCS_BUTTONS.CALENDAR.code });
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
  const text = (isNumeric(kind) ? anyText : exactText)(code, `Must be ${mustBe(kind)}.`);
  return {
    ...text,
    read: (value, path, reading) => {
      const read = text.read(value, path, reading);
      return read instanceof Problem ? read : (valueProblem(kind, read, { path, code, reading }) ?? read);
    },
  };
}

/** An object without the members that have no value. */
function given(members: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

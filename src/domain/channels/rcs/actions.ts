/**
 * The actions of expert buttons, in the form of GSMA RCC.07: what each must hold, so that the phone can do it. Other actions,
 * and other things that these can do, are left to the network, which knows more of them than the specification names.
 */
import { isNotGiven, isObject, type Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import type { ResultCode } from '../../request/result-codes.ts';
import { RCS_BUTTONS } from './buttons.ts';
import { isNumeric, orderProblem, type ValueKind, valueProblem } from './value-kinds.ts';

type Values = Readonly<Record<string, unknown>>;
type Kinds = Readonly<Record<string, ValueKind>>;

interface Deed {
  /** Answered for a problem in its values, as for the simple button that becomes it. */
  readonly code: ResultCode;
  readonly needed: Kinds;
  readonly optional?: Kinds;
}

/** By action, and by what it does. An action that can do one thing must do it. */
const ACTIONS: Readonly<Record<string, Readonly<Record<string, Deed>>>> = {
  urlAction: { openUrl: { code: RCS_BUTTONS.URL.code, needed: { url: 'url' } } },
  mapAction: {
    showLocation: { code: RCS_BUTTONS.MAP_LOC.code, needed: {}, optional: { fallbackUrl: 'url' } },
    requestLocationPush: { code: RCS_BUTTONS.MAP_SEND.code, needed: {} },
  },
  calendarAction: {
    createCalendarEvent: {
      code: RCS_BUTTONS.CALENDAR.code,
      needed: { startTime: 'time', endTime: 'time', title: 'text' },
      optional: { description: 'text' },
    },
  },
  clipboardAction: { copyToClipboard: { code: RCS_BUTTONS.COPY.code, needed: { text: 'text' } } },
  composeAction: {
    composeTextMessage: { code: RCS_BUTTONS.COM_T.code, needed: { phoneNumber: 'phone', text: 'text' } },
    composeRecordingMessage: { code: RCS_BUTTONS.COM_V.code, needed: { phoneNumber: 'phone' } },
  },
  dialerAction: {
    dialPhoneNumber: { code: RCS_BUTTONS.DIAL.code, needed: { phoneNumber: 'phone' } },
    dialEnrichedCall: { code: RCS_BUTTONS.DIAL.code, needed: { phoneNumber: 'phone' } },
    dialVideoCall: { code: RCS_BUTTONS.DIAL.code, needed: { phoneNumber: 'phone' } },
  },
};

/** A place on the map is given by coordinates or by what is searched for. */
const BY_COORDINATES: Deed = {
  code: RCS_BUTTONS.MAP_LOC.code,
  needed: { latitude: 'latitude', longitude: 'longitude' },
  optional: { label: 'text' },
};
const BY_SEARCH: Deed = { code: RCS_BUTTONS.MAP_QRY.code, needed: { query: 'text' } };

/** Why a button with this action could not be pressed. */
export function actionProblem(action: Values, reading: Reading, path: string): Problem | undefined {
  const given = Object.entries(action).filter(
    ([name, value]) => name.endsWith('Action') && !isNotGiven(value),
  );
  if (given.length === 0) return new Problem('A426', `"${path}" must hold an action such as "urlAction"`);
  for (const [name, deeds] of given) {
    if (!isObject(deeds)) return notAnObject(`${path}.${name}`);
    const known = ACTIONS[name];
    const problem = known && deedsProblem(known, deeds, reading, `${path}.${name}`);
    if (problem) return problem;
  }
  return undefined;
}

function deedsProblem(
  known: Readonly<Record<string, Deed>>,
  deeds: Values,
  reading: Reading,
  path: string,
): Problem | undefined {
  const given = Object.entries(deeds).filter(([, value]) => !isNotGiven(value));
  const deedNames = Object.keys(known);
  const [only = ''] = deedNames;
  if (given.length === 0 || (deedNames.length === 1 && isNotGiven(deeds[only]))) {
    const code = known[only]?.code ?? 'A406';
    return new Problem(code, `"${path}" must hold ${deedNames.map(name => `"${name}"`).join(' or ')}`);
  }
  for (const [name, values] of given) {
    const deed = Object.hasOwn(known, name) ? known[name] : undefined;
    const own = `${path}.${name}`;
    if (!isObject(values)) return notAnObject(own);
    const problem =
      (deed && valuesProblem(deed, values, reading, own)) ??
      (name === 'showLocation' ? locationProblem(values.location, reading, `${own}.location`) : undefined) ??
      (name === 'createCalendarEvent' ? eventProblem(values, own) : undefined);
    if (problem) return problem;
  }
  return undefined;
}

function locationProblem(location: unknown, reading: Reading, path: string): Problem | undefined {
  if (isNotGiven(location)) return new Problem(BY_COORDINATES.code, `"${path}" is required`);
  if (!isObject(location)) return notAnObject(path);
  return valuesProblem(isNotGiven(location.query) ? BY_COORDINATES : BY_SEARCH, location, reading, path);
}

function valuesProblem(deed: Deed, values: Values, reading: Reading, path: string): Problem | undefined {
  const { code, needed, optional = {} } = deed;
  for (const [name, kind] of Object.entries({ ...needed, ...optional })) {
    const value = values[name];
    const own = `${path}.${name}`;
    if (isNotGiven(value)) {
      if (Object.hasOwn(needed, name)) return new Problem(code, `"${own}" is required`);
      continue;
    }
    const text = isNumeric(kind) && typeof value === 'number' ? String(value) : value;
    if (typeof text !== 'string') return new Problem('A011', `"${own}" must be a string`);
    const problem = valueProblem(kind, text, { path: own, code, reading });
    if (problem) return problem;
  }
  return undefined;
}

function eventProblem({ startTime, endTime }: Values, path: string): Problem | undefined {
  if (typeof startTime !== 'string' || typeof endTime !== 'string') return undefined;
  return orderProblem(startTime, endTime, { path, code: RCS_BUTTONS.CALENDAR.code });
}

function notAnObject(path: string): Problem {
  return new Problem('A011', `"${path}" must be a JSON object`);
}

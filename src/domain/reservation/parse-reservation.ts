/** Reading what concerns reservations in a request: the time and name in any send, and a reservation as a whole. */
import { field, text } from '../request/field-kinds.ts';
import { isNotGiven, isObject, readFields, required } from '../request/fields.ts';
import {
  type Destination,
  type OmniRequest,
  omniFields,
  parseDestination,
  type RefusedDestination,
} from '../request/omni.ts';
import { Problem } from '../request/problem.ts';
import { MAX_RESERVATION_NAME } from './reservation.ts';

/** When a send is to go out, as the request says it: the time zone is the gateway's unless the text has one. */
export interface Later {
  readonly sendTime: string;
  readonly name: string | undefined;
}

const SEND_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?$/;

const resvSendTime = field<string>(
  'A316',
  {
    type: 'string',
    description:
      'When it is sent: yyyy-MM-dd HH:mm:ss, also with T between date and time. In the time zone of the gateway unless it ends with an offset such as +09:00.',
  },
  (value, path) => {
    if (typeof value !== 'string') return new Problem('A011', `"${path}" must be a string`);
    return SEND_TIME.test(value)
      ? value
      : new Problem('A316', `"${path}" must be a time such as 2026-03-02 09:30:00`);
  },
);
const resvName = text({
  code: 'A300',
  max: MAX_RESERVATION_NAME,
  unit: 'characters',
  description: 'Name of the reservation.',
});

/** In every send; and what can be changed of a reservation. */
export const laterFields = { resvSendTime, resvName };

const { destinations, ...rest } = omniFields;
/** One can be made without recipients: they are added to it. */
const anyDestinations = { ...destinations, required: false as const };

export const reservationFields = {
  resvSendTime: required(resvSendTime),
  resvName,
  destinations: anyDestinations,
  ...rest,
};
const recipientFields = { destinations };

const LATER_NAME = 'resvsendtime';

/** Undefined where the send is to go out now. Every send is asked, so nothing is made for most of them. */
export function parseLater(body: unknown): Later | Problem | undefined {
  if (!isObject(body)) return undefined;
  for (const name in body) {
    if (name.length !== LATER_NAME.length || name.toLowerCase() !== LATER_NAME || isNotGiven(body[name]))
      continue;
    const values = readFields(laterFields, body);
    if (values instanceof Problem) return values;
    if (values.resvSendTime === undefined) continue;
    return { sendTime: values.resvSendTime, name: values.resvName };
  }
  return undefined;
}

export function parseReservation(
  body: unknown,
): { readonly omni: OmniRequest; readonly later: Later } | Problem {
  const values = readFields(reservationFields, body);
  if (values instanceof Problem) return values;
  const recipients = parseRecipients(values.destinations ?? []);
  if (recipients instanceof Problem) return recipients;
  const { messageFlow, messageForm, resvSendTime: sendTime, resvName: name } = values;
  if (messageFlow === undefined && messageForm === undefined) {
    return new Problem('A300', '"messageFlow" or "messageForm" is required');
  }
  return {
    omni: {
      ref: values.ref,
      groupKey: values.groupKey,
      paymentCode: values.paymentCode,
      destinations: recipients,
      source: messageFlow === undefined ? { formId: messageForm ?? '' } : { entries: messageFlow },
    },
    later: { sendTime, name },
  };
}

export function parseAddedRecipients(body: unknown): readonly (Destination | RefusedDestination)[] | Problem {
  const values = readFields(recipientFields, body);
  return values instanceof Problem ? values : parseRecipients(values.destinations);
}

function parseRecipients(given: readonly unknown[]): readonly (Destination | RefusedDestination)[] | Problem {
  const recipients: (Destination | RefusedDestination)[] = [];
  for (const [index, value] of given.entries()) {
    const destination = parseDestination(value, `destinations[${index}]`);
    if (destination instanceof Problem) return destination;
    recipients.push(destination);
  }
  return recipients;
}

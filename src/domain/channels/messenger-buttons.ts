/**
 * Buttons and quick replies of the messenger channels.
 *
 * Members that a type does not use are accepted: public helpers label BF and BT buttons as BC and still send
 * the form or event that belongs to them.
 */
import { list, orNumber, word } from '../request/field-kinds.ts';
import { alsoNamed, type Field, required, type ValuesOf } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import type { ResultCode } from '../request/result-codes.ts';
import { characters, links, looseObject, refine, roomyText } from './messenger-fields.ts';

/** Web link, app link, bot keyword, message relay, delivery, consultation, bot transfer, add channel, form, call. */
export const BUTTON_TYPES = ['WL', 'AL', 'BK', 'MD', 'DS', 'BC', 'BT', 'AC', 'BF', 'TN'] as const;
export const QUICK_REPLY_TYPES = ['WL', 'AL', 'BK', 'MD', 'BC', 'BT', 'BF'] as const;

interface ButtonNeed {
  readonly atLeast: number;
  readonly of: readonly ('urlMobile' | 'schemeIos' | 'schemeAndroid' | 'telNumber')[];
}

/** The links that a button of a type needs. */
const BUTTON_NEEDS: Readonly<Record<string, ButtonNeed>> = {
  WL: { atLeast: 1, of: ['urlMobile'] },
  AL: { atLeast: 2, of: ['schemeIos', 'schemeAndroid', 'urlMobile'] },
  TN: { atLeast: 1, of: ['telNumber'] },
};

export const MAX_BUTTONS = 5;
/** Our choice: no source of this contract limits quick replies; the messenger shows ten. */
export const MAX_QUICK_REPLIES = 10;
const MAX_QUICK_REPLY_NAME = 14;

function buttonFields<const Type extends string>(rule: {
  readonly code: ResultCode;
  readonly types: readonly Type[];
  readonly typeCode: ResultCode;
  readonly name: Field<string, false>;
}) {
  const { code, types, typeCode, name } = rule;
  return {
    type: required(word({ code: typeCode, values: types, description: 'Kind of button.' })),
    name: required(name),
    ...links(code),
    target: roomyText(code, '"out" opens a web link outside the messenger.'),
    chatExtra: roomyText(code, 'Passed on to the consultation or bot.'),
    chatEvent: roomyText(code, 'Event that the bot starts with.'),
    bizFormKey: orNumber(roomyText(code, 'Key of the business form.')),
    bizFormId: orNumber(roomyText(code, 'Id of the business form.')),
    pluginId: orNumber(roomyText(code, 'Id of the plugin.')),
    relayId: orNumber(roomyText(code, 'Passed on to the plugin.')),
    oneclickId: orNumber(roomyText(code, 'Id of the one-click payment.')),
    productId: orNumber(roomyText(code, 'Id of the product paid for.')),
    telNumber: alsoNamed(orNumber(roomyText(code, 'Number that is called.')), 'tel_number'),
  };
}

const messageButtonFields = buttonFields({
  code: 'A503',
  types: BUTTON_TYPES,
  typeCode: 'A524',
  name: roomyText('A525', 'Label.'),
});

const quickReplyFields = buttonFields({
  code: 'A562',
  types: QUICK_REPLY_TYPES,
  typeCode: 'A563',
  name: characters('A564', MAX_QUICK_REPLY_NAME, 'Label.'),
});

export type MessengerButton = ValuesOf<typeof messageButtonFields>;
export type QuickReply = ValuesOf<typeof quickReplyFields>;

export const buttons = list({
  code: 'A503',
  item: refine(
    looseObject({ code: 'A503', fields: messageButtonFields, description: 'Button.' }),
    (button, path) => missingLink(button, 'A503', path) ?? button,
  ),
  max: MAX_BUTTONS,
  description: `Buttons, at most ${MAX_BUTTONS}.`,
});

export const quickReplies = list({
  code: 'A562',
  item: refine(
    looseObject({ code: 'A562', fields: quickReplyFields, description: 'Quick reply.' }),
    (reply, path) => missingLink(reply, 'A562', path) ?? reply,
  ),
  max: MAX_QUICK_REPLIES,
  description: `Quick replies, at most ${MAX_QUICK_REPLIES}.`,
});

function missingLink(
  button: MessengerButton | QuickReply,
  code: ResultCode,
  path: string,
): Problem | undefined {
  const need = BUTTON_NEEDS[button.type];
  if (need === undefined) return undefined;
  const given = need.of.filter(name => button[name] !== undefined);
  if (given.length >= need.atLeast) return undefined;
  const names = need.of.map(name => `"${name}"`).join(', ');
  const wanted = need.of.length === need.atLeast ? names : `${need.atLeast} of ${names}`;
  return new Problem(code, `"${path}" of type ${button.type} needs ${wanted}`);
}

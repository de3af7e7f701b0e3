import assert from 'node:assert/strict';
import test from 'node:test';
import type { Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { parseRcsEntry } from './rcs.ts';

const LABEL = { displayText: 'Press' };
const AT = 'rcs.buttons[0].suggestions[0].action';

function answerTo(action: object, formatId = 'SS000000', reading: Reading = 'final') {
  const buttons = [{ suggestions: [{ action: { ...LABEL, ...action } }] }];
  return parseRcsEntry({ from: '15880000', formatId, body: { description: 'a' }, buttons }, reading, 'rcs');
}

const TIMES = { startTime: '2026-03-02T09:00:00+09:00', endTime: '2026-03-02T10:00:00+09:00' };

const REFUSED: readonly (readonly [action: object, code: string, says: string])[] = [
  [{ urlAction: {} }, 'A406', `"${AT}.urlAction" must hold "openUrl"`],
  [{ urlAction: { browse: {} } }, 'A406', `"${AT}.urlAction" must hold "openUrl"`],
  [{ urlAction: 'https://a' }, 'A011', `"${AT}.urlAction" must be a JSON object`],
  [{ urlAction: { openUrl: 'https://a' } }, 'A011', `"${AT}.urlAction.openUrl" must be a JSON object`],
  [{ urlAction: { openUrl: {} } }, 'A406', `"${AT}.urlAction.openUrl.url" is required`],
  [{ urlAction: { openUrl: { url: 5 } } }, 'A011', `"${AT}.urlAction.openUrl.url" must be a string`],
  [
    { urlAction: { openUrl: { url: 'a' } } },
    'A406',
    `"${AT}.urlAction.openUrl.url" must be a full address such as https://example.com`,
  ],
  [
    { urlAction: { openUrl: { url: 'javascript:alert(1)' } } },
    'A406',
    `"${AT}.urlAction.openUrl.url" must be a full address such as https://example.com`,
  ],
  [{ mapAction: {} }, 'A428', `"${AT}.mapAction" must hold "showLocation" or "requestLocationPush"`],
  [{ mapAction: { showLocation: {} } }, 'A428', `"${AT}.mapAction.showLocation.location" is required`],
  [
    { mapAction: { showLocation: { location: { latitude: 91, longitude: 0 } } } },
    'A428',
    `"${AT}.mapAction.showLocation.location.latitude" must be a number from -90 to 90`,
  ],
  [
    { mapAction: { showLocation: { location: { query: 5 } } } },
    'A011',
    `"${AT}.mapAction.showLocation.location.query" must be a string`,
  ],
  [
    { mapAction: { showLocation: { location: { query: 'a' }, fallbackUrl: 'map' } } },
    'A428',
    `"${AT}.mapAction.showLocation.fallbackUrl" must be a full address such as https://example.com`,
  ],
  [
    { calendarAction: { createCalendarEvent: TIMES } },
    'A430',
    `"${AT}.calendarAction.createCalendarEvent.title" is required`,
  ],
  [
    {
      calendarAction: {
        createCalendarEvent: { title: 'a', startTime: TIMES.endTime, endTime: TIMES.startTime },
      },
    },
    'A430',
    `"${AT}.calendarAction.createCalendarEvent.endTime" must not be before "${AT}.calendarAction.createCalendarEvent.startTime"`,
  ],
  [{ clipboardAction: {} }, 'A431', `"${AT}.clipboardAction" must hold "copyToClipboard"`],
  [
    { dialerAction: { dialPhoneNumber: { phoneNumber: 'me' } } },
    'A434',
    `"${AT}.dialerAction.dialPhoneNumber.phoneNumber" must be a telephone number`,
  ],
  [{ oddAction: 'x' }, 'A011', `"${AT}.oddAction" must be a JSON object`],
  [{}, 'A426', `"${AT}" must hold an action such as "urlAction"`],
];

for (const [action, code, says] of REFUSED) {
  test(`an expert button of a known format is refused with ${code}: ${JSON.stringify(action).slice(0, 80)}`, () => {
    const answer = answerTo(action);
    assert.ok(answer instanceof Problem);
    assert.deepEqual([answer.code, answer.result], [code, says]);
    assert.ok(!(answerTo(action, 'issued') instanceof Problem), 'an id that nobody registered has no rules');
  });
}

for (const action of [
  { urlAction: { openUrl: { url: 'https://a', application: 'webview' } } },
  { mapAction: { showLocation: { location: { latitude: 37.5, longitude: '127' } } } },
  { mapAction: { requestLocationPush: {} } },
  { calendarAction: { createCalendarEvent: { ...TIMES, title: 'a' } } },
  { dialerAction: { dialEnrichedCall: { phoneNumber: '15880000' } } },
  { composeAction: { composeRecordingMessage: { phoneNumber: '15880000', type: 'AUDIO' } } },
  { settingsAction: { enableDisplayedNotifications: {} } },
]) {
  test(`an expert button may be ${JSON.stringify(action).slice(0, 80)}`, () => {
    const answer = answerTo(action);
    assert.ok(!(answer instanceof Problem), answer instanceof Problem ? answer.result : '');
  });
}

test('an address with a placeholder is checked when its words are put in', () => {
  const action = { urlAction: { openUrl: { url: '#{link}' } } };
  assert.ok(!(answerTo(action, 'SS000000', 'template') instanceof Problem));
  assert.ok(answerTo(action) instanceof Problem);
});

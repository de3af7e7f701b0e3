import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../request/problem.ts';
import type { RcsButtonType } from './buttons.ts';
import { parseRcsEntry } from './rcs.ts';

/** Each type complete, the action it becomes, the code of its fields, and a value each of them refuses. */
const CASES: Record<
  RcsButtonType,
  {
    code: string;
    fields: Record<string, string>;
    refused: Record<string, string>;
    action: object;
    postback: string;
  }
> = {
  URL: {
    code: 'A406',
    fields: { url: 'https://example.com/a?b=c' },
    refused: { url: 'http://' },
    action: { urlAction: { openUrl: { url: 'https://example.com/a?b=c' } } },
    postback: 'set_by_chatbot_open_url',
  },
  MAP_LOC: {
    code: 'A428',
    fields: {
      label: 'City Hall',
      latitude: '37.5663',
      longitude: '126.9779',
      fallbackUrl: 'https://map.example.com',
    },
    refused: { latitude: '90.1', longitude: 'east', fallbackUrl: 'map' },
    action: {
      mapAction: {
        showLocation: {
          location: { latitude: 37.5663, longitude: 126.9779, label: 'City Hall' },
          fallbackUrl: 'https://map.example.com',
        },
      },
    },
    postback: 'set_by_chatbot_open_map',
  },
  MAP_QRY: {
    code: 'A429',
    fields: { query: 'noodles', fallbackUrl: 'https://map.example.com' },
    refused: { fallbackUrl: 'map' },
    action: {
      mapAction: {
        showLocation: { location: { query: 'noodles' }, fallbackUrl: 'https://map.example.com' },
      },
    },
    postback: 'set_by_chatbot_open_map',
  },
  MAP_SEND: {
    code: 'A406',
    fields: {},
    refused: {},
    action: { mapAction: { requestLocationPush: {} } },
    postback: 'set_by_chatbot_request_location_push',
  },
  CALENDAR: {
    code: 'A430',
    fields: {
      startTime: '2026-02-28T09:00:00+09:00',
      endTime: '2026-02-28T10:00:00Z',
      title: 'Opening',
      description: 'Doors open at nine',
    },
    refused: { startTime: '2026-02-30T09:00:00+09:00', endTime: '2026-02-28 10:00:00' },
    action: {
      calendarAction: {
        createCalendarEvent: {
          startTime: '2026-02-28T09:00:00+09:00',
          endTime: '2026-02-28T10:00:00Z',
          title: 'Opening',
          description: 'Doors open at nine',
        },
      },
    },
    postback: 'set_by_chatbot_create_calendar_event',
  },
  COPY: {
    code: 'A431',
    fields: { text: 'COUPON-1' },
    refused: {},
    action: { clipboardAction: { copyToClipboard: { text: 'COUPON-1' } } },
    postback: 'set_by_chatbot_copy_to_clipboard',
  },
  COM_T: {
    code: 'A432',
    fields: { phoneNumber: '1588-0000', text: 'Hello' },
    refused: { phoneNumber: 'call me' },
    action: { composeAction: { composeTextMessage: { phoneNumber: '1588-0000', text: 'Hello' } } },
    postback: 'set_by_chatbot_compose_text_message',
  },
  COM_V: {
    code: 'A433',
    fields: { phoneNumber: '+82215880000' },
    refused: { phoneNumber: 'call me' },
    action: { composeAction: { composeRecordingMessage: { phoneNumber: '+82215880000', type: 'VIDEO' } } },
    postback: 'set_by_chatbot_compose_recording_message',
  },
  DIAL: {
    code: 'A434',
    fields: { phoneNumber: '15880000' },
    refused: { phoneNumber: 'call me' },
    action: { dialerAction: { dialPhoneNumber: { phoneNumber: '15880000' } } },
    postback: 'set_by_chatbot_dial_phone_number',
  },
};

function send(button: unknown, formatId = 'SS000000', reading: 'template' | 'final' = 'final') {
  const content = { standalone: { text: 'Hello', button: [button] } };
  return parseRcsEntry({ from: '15880000', formatId, content }, reading, 'rcs');
}

function refusalOf(...args: Parameters<typeof send>): [string, string] {
  const answer = send(...args);
  assert.ok(answer instanceof Problem, 'a refusal was expected');
  return [answer.code, answer.result];
}

function suggestionOf(...args: Parameters<typeof send>): unknown {
  const answer = send(...args);
  assert.ok(!(answer instanceof Problem), answer instanceof Problem ? answer.result : '');
  return answer.buttons[0]?.suggestions?.[0];
}

const AT = 'rcs.content.standalone.button[0]';

for (const [type, { code, fields, refused, action, postback }] of Object.entries(CASES)) {
  const complete = { type, name: 'Press', ...fields };

  test(`${type} becomes its carrier-standard action`, () => {
    const expected = { action: { ...action, displayText: 'Press', postback: { data: postback } } };
    assert.deepEqual(suggestionOf(complete), expected);
    assert.deepEqual(suggestionOf(complete, 'issued template'), expected);
  });

  test(`${type} is read in the letter case of the C# client`, () => {
    const pascal = Object.entries(complete).map(([name, value]) => [
      `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      value,
    ]);
    assert.deepEqual(suggestionOf(Object.fromEntries(pascal)), suggestionOf(complete));
  });

  test(`${type} needs its name`, () => {
    assert.deepEqual(refusalOf({ ...complete, name: '' }), ['A427', `"${AT}.name" is required`]);
    assert.equal(refusalOf({ ...complete, name: null }, 'issued template')[0], 'A427');
  });

  for (const field of Object.keys(fields)) {
    test(`${type} needs its ${field} in a format of the table, and only there`, () => {
      const { [field]: _, ...incomplete } = complete as Record<string, string>;
      assert.deepEqual(refusalOf(incomplete), [code, `"${AT}.${field}" is required`]);
      assert.ok(suggestionOf(incomplete, 'issued template'));
    });

    test(`${type} may hold a placeholder in its ${field} until the values are known`, () => {
      assert.ok(suggestionOf({ ...complete, [field]: '#{value}' }, 'SS000000', 'template'));
    });
  }

  for (const [field, value] of Object.entries(refused)) {
    test(`${type} refuses ${JSON.stringify(value)} as ${field} in a format of the table, and only there`, () => {
      assert.equal(refusalOf({ ...complete, [field]: value })[0], code);
      assert.ok(suggestionOf({ ...complete, [field]: value }, 'issued template'));
    });
  }
}

test('a type that is missing or unknown is A426, in any format', () => {
  for (const formatId of ['SS000000', 'issued template']) {
    assert.equal(refusalOf({ name: 'Press' }, formatId)[0], 'A426');
    assert.equal(refusalOf({ type: 'FAX', name: 'Press' }, formatId)[0], 'A426');
    assert.equal(refusalOf({ type: 'constructor', name: 'Press' }, formatId)[0], 'A426');
  }
});

test('a map search needs no label, which one client sends', () => {
  const button = { type: 'MAP_QRY', name: 'Map', ...CASES.MAP_QRY.fields };
  assert.deepEqual(suggestionOf({ ...button, label: 'ignored' }), suggestionOf(button));
});

test('coordinates may be numbers', () => {
  const button = { type: 'MAP_LOC', name: 'Map', ...CASES.MAP_LOC.fields };
  assert.deepEqual(suggestionOf({ ...button, latitude: 37.5663, longitude: 126.9779 }), suggestionOf(button));
});

for (const [time, isReal] of [
  ['2024-02-29T00:00:00+09:00', true],
  ['2023-02-29T00:00:00+09:00', false],
  ['2026-12-31T23:59:59-03:30', true],
  ['2026-12-31T24:00:00+09:00', false],
  ['2026-13-01T00:00:00Z', false],
  ['2026-01-01T00:00:60Z', false],
  ['2026-01-01T00:00:00+0900', false],
  ['2026-01-01T00:00:00.000Z', false],
  ['2026-01-01T00:00:00', false],
  ['tomorrow', false],
] as const) {
  test(`${time} is ${isReal ? 'a' : 'no'} time for a calendar`, () => {
    const times = { startTime: time, endTime: time };
    const answer = send({ type: 'CALENDAR', name: 'Note', ...CASES.CALENDAR.fields, ...times });
    assert.equal(answer instanceof Problem ? answer.code : 'A000', isReal ? 'A000' : 'A430');
  });
}

test('an event may end when it starts, wherever, and not before', () => {
  const event = { type: 'CALENDAR', name: 'Note', ...CASES.CALENDAR.fields };
  const startTime = '2026-03-02T09:00:00+09:00';
  assert.ok(suggestionOf({ ...event, startTime, endTime: '2026-03-02T00:00:00Z' }));
  const reversed = { ...event, startTime, endTime: '2026-03-02T08:59:59+09:00' };
  assert.deepEqual(refusalOf(reversed), ['A430', `"${AT}.endTime" must not be before "${AT}.startTime"`]);
  assert.ok(suggestionOf(reversed, 'issued template'));
  assert.ok(suggestionOf({ ...reversed, endTime: '#{end}' }, 'SS000000', 'template'));
});

for (const url of [
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,x',
  'file:///a',
]) {
  test(`a button does not open ${JSON.stringify(url)}`, () => {
    assert.equal(refusalOf({ type: 'URL', name: 'Open', url })[0], 'A406');
  });
}

test('a button opens an app by a scheme of its own', () => {
  for (const url of ['kakaotalk://open', 'tel:15880000', 'market://details?id=a']) {
    assert.ok(suggestionOf({ type: 'URL', name: 'Open', url }));
  }
});

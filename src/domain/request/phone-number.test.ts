import assert from 'node:assert/strict';
import test from 'node:test';
import {
  canonicalNumber,
  ERASED_RECIPIENT,
  isSameNumber,
  maskNumber,
  maskNumbersIn,
  parseDomesticNumber,
  parseInternationalNumber,
  parseSenderNumber,
  parseTextSenderId,
  storedWritings,
  withoutNumber,
} from './phone-number.ts';

const DOMESTIC = [
  ['01012345678', '01012345678'],
  ['010-1234-5678', '01012345678'],
  ['+821012345678', '01012345678'],
  ['+82-10-1234-5678', '01012345678'],
  ['+8201012345678', '01012345678'],
  ['0212345678', '0212345678'],
  ['1012345678', undefined],
  ['+14155550123', undefined],
  ['0101234567a', undefined],
  ['010', undefined],
  ['0101234567890123', undefined],
] as const;

for (const [given, parsed] of DOMESTIC) {
  test(`reads the domestic number ${given} as ${parsed}`, () =>
    assert.equal(parseDomesticNumber(given), parsed));
}

const INTERNATIONAL = [
  ['+14155550123', '+14155550123'],
  ['+1 415-555-0123', '+14155550123'],
  ['+821012345678', '+821012345678'],
  ['14155550123', undefined],
  ['+04155550123', undefined],
  ['+123456', undefined],
  ['+1234567890123456', undefined],
  ['01012345678', undefined],
] as const;

for (const [given, parsed] of INTERNATIONAL) {
  test(`reads the international number ${given} as ${parsed}`, () =>
    assert.equal(parseInternationalNumber(given), parsed));
}

test('a sender number is digits only', () => {
  assert.equal(parseSenderNumber('0212345678'), '0212345678');
  assert.equal(parseSenderNumber('114'), '114');
  assert.equal(parseSenderNumber('02-1234-5678'), undefined);
  assert.equal(parseSenderNumber('MyShop'), undefined);
  assert.equal(parseSenderNumber('1'.repeat(16)), undefined);
});

test('a text sender id is 3 to 11 letters and digits, not digits alone', () => {
  for (const id of ['MyShop', 'abc', '7Eleven', 'A'.repeat(11)]) assert.equal(parseTextSenderId(id), id);
  for (const other of ['ab', 'A'.repeat(12), '12345', 'My Shop', 'My-Shop', '가게이름', '']) {
    assert.equal(parseTextSenderId(other), undefined);
  }
});

test('a masked number hides its middle', () => {
  assert.equal(maskNumber('01012345678'), '010****5678');
  assert.equal(maskNumber('+14155550123'), '+14****0123');
  assert.equal(maskNumber('114'), '****');
});

test('all spellings of a number have one canonical form, and other numbers have others', () => {
  const writings = [
    '01012345678',
    '010-1234-5678',
    '+82 10-1234-5678',
    '+821012345678',
    '8210 1234 5678',
    '+82 (0)10.1234.5678',
    '00821012345678',
    '+00821012345678',
    '+01012345678',
    '1012345678',
    '+1012345678',
  ];
  for (const writing of writings) assert.equal(canonicalNumber(writing), '+821012345678', writing);
  assert.equal(canonicalNumber('02-1234-5678'), '+82212345678');
  assert.equal(canonicalNumber('+1 (415) 555-0123'), '+14155550123');
  assert.equal(canonicalNumber('0014155550123'), '+14155550123');
  for (const text of ['', 'hello', '123', '010-1234-567a', '+', '1'.repeat(17)]) {
    assert.equal(canonicalNumber(text), undefined, text);
  }
});

test('all stored forms of a number belong to the same number', () => {
  assert.deepEqual(storedWritings('+821012345678'), ['01012345678', '+821012345678', '+8201012345678']);
  assert.deepEqual(storedWritings('+14155550123'), ['+14155550123']);
  for (const writing of storedWritings('+821012345678'))
    assert.equal(canonicalNumber(writing), '+821012345678');
});

test('a number is removed from JSON wherever it is a value, and other numbers stay', () => {
  const json =
    '{"to":"010-1234-5678","list":[{"to":"+821012345678"},{"to":"01087654321"}],"text":"call 01012345678"}';
  assert.deepEqual(JSON.parse(withoutNumber(json, '01012345678')), {
    to: ERASED_RECIPIENT,
    list: [{ to: ERASED_RECIPIENT }, { to: '01087654321' }],
    text: 'call 01012345678',
  });
});

const KOREAN = '01012345678';

for (const [a, b] of [
  [KOREAN, '+821012345678'],
  [KOREAN, '821012345678'],
  [KOREAN, '1012345678'],
  [KOREAN, '+82 (0)10-1234-5678'],
  [KOREAN, '00821012345678'],
  ['+14155550123', '14155550123'],
  ['+14155550123', '00114155550123'],
  ['+447911123456', '07911123456'],
  ['021234567', '+8221234567'],
  ['001234567', '001234567'],
  ['+18201234567', '8201234567'],
] as const) {
  test(`${a} and ${b} are the same number`, () => {
    assert.ok(isSameNumber(a, b));
    assert.ok(isSameNumber(b, a));
  });
}

for (const [a, b] of [
  [KOREAN, '0212345678'],
  [KOREAN, '+82212345678'],
  [KOREAN, '+14112345678'],
  [KOREAN, '14112345678'],
  [KOREAN, '2345678'],
  ['+14112345678', '+447912345678'],
  ['', ''],
] as const) {
  test(`"${a}" and "${b}" are not the same number`, () => {
    assert.ok(!isSameNumber(a, b));
    assert.ok(!isSameNumber(b, a));
  });
}

test('numbers in the words of a carrier are masked, and nothing that is no number', () => {
  for (const [text, expected] of [
    ['{"to":"01012345678","at":1772411400000}', '{"to":"010****5678","at":1772411400000}'],
    ['invalid destination 010-1234-5678.', 'invalid destination 010****5678.'],
    ['number:01012345678,', 'number:010****5678,'],
    ['sent to +821012345678 at 10:30', 'sent to +82****5678 at 10:30'],
    ['06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000-0-1', '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000-0-1'],
    ['HTTP 503 after 1200 ms from 192.168.100.200:8080', 'HTTP 503 after 1200 ms from 192.168.100.200:8080'],
    ['2026-03-02T09:30:00', '2026-03-02T09:30:00'],
  ] as const) {
    assert.equal(maskNumbersIn(text), expected);
  }
});

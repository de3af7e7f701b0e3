import assert from 'node:assert/strict';
import test from 'node:test';
import { quietHoursCode } from './advertisement.ts';

const AD = { channel: 'sms', from: '02', text: '(광고) sale' } as const;

for (const [time, code] of [
  ['08:00', undefined],
  ['20:49', undefined],
  ['20:50', '23029'],
  ['23:59', '23029'],
  ['00:00', '23029'],
  ['07:59', '23029'],
] as const) {
  test(`an advertisement at ${time} is ${code ?? 'let out'}`, () => {
    assert.equal(quietHoursCode(AD, time), code);
    assert.equal(quietHoursCode({ ...AD, text: 'your code is 1234' }, time), undefined);
  });
}

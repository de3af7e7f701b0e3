import assert from 'node:assert/strict';
import test from 'node:test';
import type { Channel } from '../channels/channel.ts';
import { CHANNEL_TABLE } from '../channels/channel-table.ts';
import { singleNames } from '../request/field-names.ts';
import { markProblem, quietHoursCode, quietMs, reservedHourProblem } from './advertisement.ts';
import type { Step } from './flow.ts';

const RULES = { advertisements: 'refuse', adHours: '08:00-20:50' } as const;
const AD = { channel: 'sms', from: '02', text: '(광고) sale 080-123-4567' } as const;

for (const [time, hours] of [
  ['08:00:00', 0],
  ['20:49:59', 0],
  ['20:50:00', 11 + 10 / 60],
  ['23:59:00', 8 + 1 / 60],
  ['00:00:00', 8],
  ['07:59:30', 30 / 3600],
] as const) {
  test(`an advertisement at ${time} ${hours === 0 ? 'goes out' : `waits for ${hours} hours`}`, () => {
    assert.equal(quietMs(RULES, time), Math.round(hours * 3_600_000));
    const problem = reservedHourProblem(RULES, [AD], time);
    assert.equal(problem?.code, hours === 0 ? undefined : 'A330');
    assert.equal(reservedHourProblem({ ...RULES, advertisements: 'defer' }, [AD], time), undefined);
    assert.equal(reservedHourProblem(RULES, [{ ...AD, text: 'code 1234' }], time), undefined);
  });
}

test('the hours are those of the account', () => {
  assert.equal(quietMs({ ...RULES, adHours: '09:00-20:00' }, '08:30:00'), 30 * 60_000);
  assert.equal(quietMs({ ...RULES, adHours: '00:00-24:00' }, '23:59:59'), 0);
});

test('the report code is of the family of the channel', () => {
  assert.equal(quietHoursCode(AD), '23029');
});

const RCS = { brandKey: 'BR.1', formatId: 'SS000000', from: '0212345678', to: '01012345678' };
const MESSENGER = { senderKey: 'k', to: '01012345678' };

/** A message of each channel that breaks a rule, and what the refusal says. */
const BROKEN: readonly (readonly [Channel, object, RegExp | undefined])[] = [
  ['sms', { from: '021234567', to: '01012345678', text: '(광고) sale' }, /free number/],
  ['sms', { from: '021234567', to: '01012345678', text: '[광고] sale 0801234567' }, /begin with/],
  ['sms', { from: '021234567', to: '01012345678', text: 'your code is 1234' }, undefined],
  ['mms', { from: '021234567', to: '01012345678', title: '(광고) sale', text: 'x 0801234567' }, /begin with/],
  ['mms', { from: '021234567', to: '01012345678', text: '(광고) x 0801234567' }, undefined],
  ['rcs', { ...RCS, content: { standalone: { text: 'x' } }, header: '1', footer: '021234567' }, /"footer"/],
  ['rcs', { ...RCS, content: { standalone: { text: '(광고) x' } } }, /"header"/],
  ['rcs', { ...RCS, content: { standalone: { text: 'x' } }, header: '1', footer: '080-123-4567' }, undefined],
  [
    'alimtalk',
    { ...MESSENGER, msgType: 'AT', templateCode: 't', text: '(광고) x' },
    /"text" .* alimtalk may not/,
  ],
  [
    'alimtalk',
    { ...MESSENGER, msgType: 'AT', templateCode: 't', text: 'x', title: '(광고) x' },
    /"title" .* alimtalk may not/,
  ],
  [
    'alimtalk',
    { ...MESSENGER, msgType: 'AT', templateCode: 't', text: 'x', header: '[광고] x' },
    /"header" .* alimtalk may not/,
  ],
  ['friendtalk', { ...MESSENGER, msgType: 'FT', text: '(광고) x', adFlag: 'N' }, /"adFlag"/],
  ['friendtalk', { ...MESSENGER, msgType: 'FT', text: 'x' }, undefined],
];

for (const [channel, body, problem] of BROKEN) {
  test(`${channel}: ${problem ? `breaks the rule ${problem.source}` : 'keeps the rules'} (${JSON.stringify(body).slice(-40)})`, () => {
    const send = CHANNEL_TABLE[channel].request.readSingle(body);
    assert.ok('flow' in send, JSON.stringify(send));
    const checked = { flow: send.flow, names: singleNames(send.flow), reading: 'final' } as const;
    const found = markProblem(RULES, checked);
    assert.equal(found?.code, problem && 'A330');
    if (problem) assert.match(found?.result ?? '', problem);
    assert.equal(markProblem({ ...RULES, advertisements: 'asIs' }, checked), undefined);
  });
}

const SMS = { channel: 'sms', from: '021234567' } as const;
const NOTICE = { channel: 'friendtalk', senderKey: 'k', msgType: 'FT', adFlag: 'N' } as const;

/** Flows before the words of a recipient are put in, and the field whose fixed part breaks a rule. */
const TEMPLATES: readonly (readonly [readonly Step[], string | undefined])[] = [
  [[{ ...SMS, text: '[광고] hello #{name}' }], 'messageFlow[0].text'],
  [[{ ...SMS, text: '#{mark} hello' }], undefined],
  [[{ ...SMS, text: '(광고) hello #{number}' }], undefined],
  [[{ ...SMS, text: '#{mark}무료수신거부 080-123-4567' }], undefined],
  [[{ ...SMS, text: '#{name}: hello' }], undefined],
  [[{ ...SMS, channel: 'mms', title: '#{title}', text: '(광고) hello' }], 'messageFlow[0].text'],
  [[{ ...NOTICE, text: '(광고) hello #{name}' }], 'messageFlow[0].adFlag'],
  [[{ ...NOTICE, text: '#{text}' }], undefined],
  [
    [
      { ...NOTICE, adFlag: 'Y', text: '#{text}' },
      { ...SMS, text: 'hello #{name}' },
    ],
    'messageFlow[1].text',
  ],
  [
    [
      { ...NOTICE, adFlag: 'Y', text: '#{text}' },
      { ...SMS, text: '#{text}' },
    ],
    undefined,
  ],
  [
    [
      { ...SMS, text: '#{text}' },
      { ...SMS, text: 'hello' },
    ],
    undefined,
  ],
];

for (const [flow, field] of TEMPLATES) {
  const texts = flow.map(step => ('text' in step ? step.text : '')).join(', then ');
  test(`${texts}: ${field ? `${field} is wrong for every recipient` : 'the words of a recipient decide'}`, () => {
    const names = (index: number, name: string) => `messageFlow[${index}].${name}`;
    const found = markProblem(RULES, { flow, names, reading: 'template' });
    assert.equal(found && /"(.+?)"/.exec(found.result)?.[1], field, found?.result);
  });
}

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../request/problem.ts';
import { type FriendtalkStep, parseFriendtalk, parseFriendtalkEntry } from './friendtalk.ts';
import {
  FRIENDTALK_TYPE_WORDS,
  FRIENDTALK_TYPES,
  type FriendtalkNeed,
  type FriendtalkType,
  friendtalkRow,
} from './types.ts';

const PATH = 'messageFlow[0].friendtalk';
const KEY = { senderKey: 'senderKey' };
const BUTTON = { type: 'BK', name: 'name' };
const IMAGE = { imgUrl: 'https://img' };
const ITEM = { title: 't', imgUrl: 'i', urlMobile: 'm' };
const COUPON = { title: '1000원 할인', description: '설명' };
const COMMERCE = { title: '상품', regularPrice: 1000 };
const FEED_CARD = { header: 'h', message: 'm', attachment: { image: IMAGE } };
const GOODS_CARD = { attachment: { image: IMAGE, commerce: COMMERCE } };

/** The least that a message of each type holds. */
const LEAST: Record<FriendtalkType, Record<string, unknown>> = {
  FT: { text: '안녕' },
  FI: { text: '안녕' },
  FW: { text: '안녕' },
  FL: { header: '머리', attachment: { item: { list: [ITEM, ITEM, ITEM] } } },
  FC: { carousel: { list: [FEED_CARD, FEED_CARD] } },
  FM: { attachment: { image: IMAGE, commerce: COMMERCE } },
  FA: { carousel: { list: [GOODS_CARD, GOODS_CARD] } },
  FP: { attachment: { video: { videoUrl: 'v' } } },
};

function entry(msgType: FriendtalkType, extra: object = {}): object {
  const { attachment, ...rest } = LEAST[msgType];
  const given = 'attachment' in extra ? extra.attachment : undefined;
  const merged = { ...(attachment as object), ...(given as object) };
  return {
    ...KEY,
    msgType,
    ...rest,
    ...extra,
    ...(Object.keys(merged).length > 0 && { attachment: merged }),
  };
}

function step(msgType: FriendtalkType, extra: object = {}): FriendtalkStep {
  const result = parseFriendtalkEntry(entry(msgType, extra), 'final', PATH);
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

function refusal(given: unknown): [string, string] {
  const result = parseFriendtalkEntry(given, 'final', PATH);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

test('buttons or an image in both places are refused, because one of the two would be lost', () => {
  const twice = [
    { button: [BUTTON], attachment: { button: [BUTTON] } },
    { imgUrl: 'i', attachment: { image: IMAGE } },
  ];
  const refused = twice.map(extra =>
    parseFriendtalkEntry({ ...KEY, msgType: 'FT', text: 'x', ...extra }, 'final', 'f'),
  );
  assert.deepEqual(
    refused.map(each => each instanceof Problem && [each.code, each.result]),
    [
      ['A503', '"f.button" and "f.attachment.button" cannot be used together'],
      ['A513', '"f.imgUrl" and "f.attachment.image" cannot be used together'],
    ],
  );
});

test('knows each type of its table by its word', () => {
  assert.deepEqual(Object.keys(FRIENDTALK_TYPES), FRIENDTALK_TYPE_WORDS);
});

for (const type of FRIENDTALK_TYPE_WORDS) {
  test(`reads ${type} with no more than it needs, in a flow and as a single send`, () => {
    const expected = { channel: 'friendtalk', ...KEY, msgType: type, ...LEAST[type] };
    assert.deepEqual(step(type), expected);
    assert.deepEqual(parseFriendtalk({ ...entry(type), to: '010-1234-1234', ref: 'mine' }), {
      to: '01012341234',
      ref: 'mine',
      flow: [expected],
    });
  });
}

const NEED_CODES: Record<FriendtalkNeed, { code: string; name: string }> = {
  text: { code: 'A303', name: 'text' },
  header: { code: 'A565', name: 'header' },
  image: { code: 'A513', name: 'attachment.image' },
  item: { code: 'A573', name: 'attachment.item' },
  commerce: { code: 'A573', name: 'attachment.commerce' },
  video: { code: 'A573', name: 'attachment.video' },
  carousel: { code: 'A567', name: 'carousel' },
};

for (const type of FRIENDTALK_TYPE_WORDS) {
  for (const need of friendtalkRow(type).needs) {
    const { code, name } = NEED_CODES[need];
    test(`answers ${code} to ${type} without ${name}`, () => {
      const { attachment, ...rest } = entry(type) as Record<string, object>;
      const without = { ...rest, attachment: { ...attachment, [need]: null }, [need]: '' };
      assert.deepEqual(refusal(without), [code, `"${PATH}.${name}" is required for msgType ${type}`]);
    });
  }
}

for (const type of FRIENDTALK_TYPE_WORDS) {
  const row = friendtalkRow(type);

  test(`takes ${row.text} characters of text in ${type} and answers A328 to one more`, () => {
    step(type, { text: '가'.repeat(row.text) });
    assert.equal(refusal(entry(type, { text: '가'.repeat(row.text + 1) }))[0], 'A328');
  });

  test(`takes ${row.coupon} characters of a coupon's description in ${type} and answers A573 to one more`, () => {
    const coupon = (length: number) => ({
      attachment: { coupon: { ...COUPON, description: '가'.repeat(length) } },
    });
    step(type, coupon(row.coupon));
    assert.equal(refusal(entry(type, coupon(row.coupon + 1)))[0], 'A573');
  });

  test(`takes ${row.buttonsBesideCoupon} buttons beside a coupon in ${type} and answers A503 to one more`, () => {
    const most = row.buttonsBesideCoupon;
    const button = (length: number) => Array.from({ length }, () => BUTTON);
    step(type, { attachment: { coupon: COUPON, button: button(most) } });
    assert.equal(
      refusal(entry(type, { attachment: { coupon: COUPON, button: button(most + 1) } }))[0],
      'A503',
    );
    step(type, { attachment: { button: button(5) } });
    assert.equal(refusal(entry(type, { attachment: { button: button(6) } }))[0], 'A503');
  });

  test(`takes adFlag ${row.adFlag.join(' or ')} in ${type}`, () => {
    for (const adFlag of ['Y', 'N', 'X']) {
      const given = entry(type, { adFlag });
      if (row.adFlag.some(each => each === adFlag)) step(type, { adFlag });
      else assert.equal(refusal(given)[0], 'A506');
    }
  });
}

const LIMITS = [
  { field: 'header', most: 20, code: 'A565' },
  { field: 'additionalContent', most: 34, code: 'A300' },
  { field: 'groupTagKey', most: 40, code: 'A300' },
];

for (const { field, most, code } of LIMITS) {
  test(`takes ${most} characters of ${field} and answers ${code} to one more`, () => {
    step('FT', { [field]: '가'.repeat(most) });
    assert.equal(refusal(entry('FT', { [field]: '가'.repeat(most + 1) }))[0], code);
  });
}

test('does not measure a text with placeholders before they are filled in', () => {
  const long = entry('FW', { text: `#{name}${'가'.repeat(76)}`, header: `#{h}${'가'.repeat(20)}` });
  assert.ok(!(parseFriendtalkEntry(long, 'template', PATH) instanceof Problem));
  assert.equal(refusal(long)[0], 'A328');
});

test('a single send has its image and buttons at the top, and they go where flows have them', () => {
  const single = { ...KEY, msgType: 'FI', to: '01012341234', text: 'x', imgUrl: 'i', button: [BUTTON] };
  const result = parseFriendtalk(single);
  assert.ok(!(result instanceof Problem));
  assert.deepEqual(result.flow, [
    {
      channel: 'friendtalk',
      ...KEY,
      msgType: 'FI',
      text: 'x',
      attachment: { image: { imgUrl: 'i' }, button: [BUTTON] },
    },
  ]);
});

test('an image at the top counts as the image that a type needs', () => {
  const { imgUrl } = IMAGE;
  assert.deepEqual(step('FM', { imgUrl, attachment: { image: null } }).attachment?.image, { imgUrl });
});

test('a refusal names the place where the client put the buttons', () => {
  const button = Array.from({ length: 5 }, () => BUTTON);
  const given = { ...entry('FT', { attachment: { coupon: COUPON } }), button };
  assert.deepEqual(refusal(given), [
    'A503',
    `"${PATH}.button" has more than 4 entries beside a coupon (was 5)`,
  ]);
  const [, result] = refusal({ ...entry('FT'), button: [{ name: 'x' }] });
  assert.equal(result, `"${PATH}.button[0].type" is required`);
});

test('a fallback is the second step, and needs a sender of its own', () => {
  const body = { ...entry('FT'), to: '01012341234' };
  const fallback = {
    type: 'SMS',
    from: '0310000000',
    title: 'fallback-title',
    text: 'text',
    originCID: '0000',
  };
  const result = parseFriendtalk({ ...body, fallback });
  assert.ok(!(result instanceof Problem));
  assert.deepEqual(result.flow[1], { channel: 'sms', from: '0310000000', text: 'text', originCID: '0000' });
  const refused = parseFriendtalk({ ...body, fallback: { type: 'SMS', text: 'text' } });
  assert.ok(refused instanceof Problem);
  assert.equal(refused.code, 'A302');
});

const MISSING = { senderKey: 'A502', msgType: 'A523', to: 'A306' };

for (const [field, code] of Object.entries(MISSING)) {
  test(`answers ${code} when ${field} is missing`, () => {
    const result = parseFriendtalk({ ...entry('FT'), to: '01012341234', [field]: null });
    assert.ok(result instanceof Problem);
    assert.deepEqual([result.code, result.result], [code, `"${field}" is required`]);
  });
}

test('answers A523 to a type of another channel', () => {
  assert.equal(refusal({ ...entry('FT'), msgType: 'AT' })[0], 'A523');
});

const FLAGS = { adult: 'A569', pushAlarm: 'A300' };

for (const [field, code] of Object.entries(FLAGS)) {
  test(`takes Y or N for ${field} and answers ${code} to anything else`, () => {
    for (const flag of ['Y', 'N']) step('FT', { [field]: flag });
    assert.equal(refusal(entry('FT', { [field]: 'yes' }))[0], code);
  });
}

test('reads the misspelt names of public clients', () => {
  for (const name of [
    'addtionalContent',
    'addtioaddtionalContent',
    'additional_content',
    'AdditionalContent',
  ]) {
    assert.equal(step('FM', { [name]: 'small print' }).additionalContent, 'small print');
  }
  assert.equal(step('FT', { adults: 'Y' }).adult, 'Y');
});

test('takes blanks for "not given"', () => {
  const blanks = {
    imgUrl: '',
    button: [],
    carousel: { head: null, list: [], tail: {} },
    attachment: { item: { summary: { urlMobile: '' } }, coupon: { title: '', description: '' } },
    additionalContent: null,
  };
  assert.deepEqual(step('FT', blanks), { channel: 'friendtalk', ...KEY, msgType: 'FT', text: '안녕' });
});

test('answers A568 to a carousel in a type that is none', () => {
  for (const type of FRIENDTALK_TYPE_WORDS) {
    if (friendtalkRow(type).carousel !== undefined) continue;
    const given = entry(type, { carousel: { list: [FEED_CARD, FEED_CARD] } });
    assert.deepEqual(refusal(given), ['A568', `"${PATH}.carousel" needs msgType FC or FA`]);
  }
});

test('no body, however odd, makes it throw', () => {
  const odd = fc.record({
    senderKey: fc.constant('key'),
    msgType: fc.constantFrom(...FRIENDTALK_TYPE_WORDS),
    to: fc.constant('01012341234'),
    text: fc.string({ minLength: 1, maxLength: 80 }),
    attachment: fc.oneof(
      fc.anything(),
      fc.record({
        button: fc.anything(),
        image: fc.anything(),
        item: fc.record({ list: fc.array(fc.anything()) }),
        coupon: fc.record({ title: fc.string(), description: fc.anything() }),
        commerce: fc.record({
          title: fc.string(),
          regularPrice: fc.anything(),
          discountPrice: fc.anything(),
        }),
        video: fc.anything(),
      }),
    ),
    carousel: fc.oneof(fc.anything(), fc.record({ head: fc.anything(), list: fc.array(fc.anything()) })),
    fallback: fc.anything(),
  });
  fc.assert(
    fc.property(fc.oneof(fc.anything(), odd), body => {
      parseFriendtalk(body);
      parseFriendtalkEntry(body, 'template', PATH);
    }),
  );
});

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Reading } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { attachment, type FriendtalkAttachment } from './attachment.ts';

function read(value: object, reading: Reading = 'final'): FriendtalkAttachment | Problem {
  return attachment(12).read(value, 'attachment', reading);
}

function accepted(value: object): FriendtalkAttachment {
  const result = read(value);
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

function refusal(value: object): [string, string] {
  const result = read(value);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

const ITEM = { title: 't', imgUrl: 'i', urlMobile: 'm' };
const items = (length: number) => ({ item: { list: Array.from({ length }, () => ITEM) } });

test('an image needs its address', () => {
  const image = { imgUrl: 'i', imgLink: 'l' };
  assert.deepEqual(accepted({ image }), { image });
  assert.deepEqual(refusal({ image: { imgLink: 'l' } }), ['A513', '"attachment.image.imgUrl" is required']);
});

test('takes 3 or 4 items', () => {
  accepted(items(3));
  accepted(items(4));
  assert.equal(refusal(items(2))[0], 'A521');
  assert.equal(refusal(items(5))[0], 'A521');
});

for (const field of Object.keys(ITEM)) {
  test(`an item needs ${field}`, () => {
    const list = [ITEM, ITEM, { ...ITEM, [field]: '' }];
    assert.deepEqual(refusal({ item: { list } }), ['A521', `"attachment.item.list[2].${field}" is required`]);
  });
}

test('ignores the blank summary and the blank links that clients send with items', () => {
  const list = [{ ...ITEM, urlPc: '', schemeIos: '' }, ITEM, ITEM];
  assert.deepEqual(accepted({ item: { list, summary: { urlMobile: '' } } }), items(3));
});

test('reads the links of an item as an early Go client spells them', () => {
  const item = {
    title: 't',
    imgUrl: 'i',
    url_mobile: 'm',
    url_pc: 'p',
    scheme_ios: 'i',
    scheme_android: 'a',
  };
  const [first] = accepted({ item: { list: [item, item, item] } }).item?.list ?? [];
  assert.deepEqual(first, { ...ITEM, urlPc: 'p', schemeIos: 'i', schemeAndroid: 'a' });
});

const COUPON_TITLES = [
  '1원 할인',
  '1000원 할인',
  '1,000원 할인',
  '1% 할인',
  '99999999원 할인',
  '10% 할인',
  '100% 할인',
  '배송비 할인',
  '신규회원 무료',
  '일곱글자이름임 무료',
  '포인트 UP',
  '일곱글자이름임 UP',
  '1000원 할인 쿠폰',
];
const NO_COUPON_TITLES = [
  '쿠폰',
  '할인',
  '천원 할인',
  '0원 할인',
  '0% 할인',
  '101% 할인',
  '999% 할인',
  '여덟글자이름이라 무료',
  '여덟글자이름이라 UP',
  ' 무료',
];

for (const title of COUPON_TITLES) {
  test(`takes "${title}" for the title of a coupon`, () => {
    accepted({ coupon: { title, description: 'd' } });
  });
}

for (const title of NO_COUPON_TITLES) {
  test(`answers A573 to "${title}" as the title of a coupon`, () => {
    assert.equal(refusal({ coupon: { title, description: 'd' } })[0], 'A573');
  });
}

test('judges the title of a coupon when its placeholders are filled in', () => {
  const coupon = { title: '#{amount}', description: 'd' };
  assert.ok(!(read({ coupon }, 'template') instanceof Problem));
  assert.equal(refusal({ coupon })[0], 'A573');
});

test('a coupon needs title and description', () => {
  assert.equal(refusal({ coupon: { title: '10% 할인' } })[0], 'A573');
  assert.equal(refusal({ coupon: { description: 'd' } })[0], 'A573');
});

const GOODS = { title: '상품', regularPrice: 1000 };
const DISCOUNT = { ...GOODS, discountPrice: 900, discountRate: 10, discountFixed: 100 };

const PRICE_LIMITS = {
  regularPrice: 99_999_999,
  discountPrice: 99_999_999,
  discountRate: 100,
  discountFixed: 999_999,
};

for (const [field, most] of Object.entries(PRICE_LIMITS)) {
  test(`takes ${field} from 0 to ${most} and answers A573 to anything else`, () => {
    accepted({ commerce: { ...DISCOUNT, [field]: 0 } });
    accepted({ commerce: { ...DISCOUNT, [field]: most } });
    accepted({ commerce: { ...DISCOUNT, [field]: String(most) } });
    for (const wrong of [most + 1, -1, 1.5]) {
      assert.equal(refusal({ commerce: { ...DISCOUNT, [field]: wrong } })[0], 'A573');
    }
  });
}

test('takes 30 characters of the name of goods', () => {
  accepted({ commerce: { ...GOODS, title: '가'.repeat(30) } });
  assert.equal(refusal({ commerce: { ...GOODS, title: '가'.repeat(31) } })[0], 'A573');
});

test('goods need a name and a price, and zero is a price', () => {
  accepted({ commerce: { ...GOODS, regularPrice: 0 } });
  assert.equal(refusal({ commerce: { title: '상품' } })[0], 'A573');
  assert.equal(refusal({ commerce: { regularPrice: 1 } })[0], 'A573');
});

test('a discounted price needs a rate or an amount', () => {
  accepted({ commerce: { ...GOODS, discountPrice: 900, discountRate: 10 } });
  accepted({ commerce: { ...GOODS, discountPrice: 900, discountFixed: 100 } });
  assert.deepEqual(refusal({ commerce: { ...GOODS, discountPrice: 900, discountRate: 0 } }), [
    'A573',
    '"attachment.commerce.discountPrice" needs "discountRate" or "discountFixed"',
  ]);
});

test('takes a discount of 0 for "not given"', () => {
  const commerce = { ...GOODS, discountPrice: 0, discountRate: 0, discountFixed: 0 };
  assert.deepEqual(accepted({ commerce }), { commerce: GOODS });
});

test('reads prices as an early Go client spells them', () => {
  const commerce = { title: '상품', regular_price: 1000, discount_price: 900, discount_rate: 10 };
  assert.deepEqual(accepted({ commerce }).commerce, { ...GOODS, discountPrice: 900, discountRate: 10 });
});

test('a video needs its address', () => {
  const video = { videoUrl: 'v', thumbnailUrl: 't' };
  assert.deepEqual(accepted({ video }), { video });
  assert.equal(refusal({ video: { thumbnailUrl: 't' } })[0], 'A573');
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../request/problem.ts';
import { CAROUSEL_RULES, type Carousel, carousel } from './carousel.ts';

type Kind = keyof typeof CAROUSEL_RULES;

const IMAGE = { imgUrl: 'i' };
const COMMERCE = { title: '상품', regularPrice: 1000 };
const HEAD = { header: 'h', content: 'c' };

/** The least that a card of each kind holds. */
const CARDS = {
  feed: { header: 'h', message: 'm', attachment: { image: IMAGE } },
  commerce: { attachment: { image: IMAGE, commerce: COMMERCE } },
};

function read(kind: Kind, value: object): Carousel | Problem {
  return carousel(kind).read(value, 'carousel', 'final');
}

function withCard(kind: Kind, card: object): object {
  return { list: [CARDS[kind], card] };
}

function accepted(kind: Kind, value: object): Carousel {
  const result = read(kind, value);
  assert.ok(!(result instanceof Problem), JSON.stringify(result));
  return result;
}

function refusal(kind: Kind, value: object): [string, string] {
  const result = read(kind, value);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

/** How a part is put in and left out, in a carousel of a kind. */
const PARTS: Record<keyof (typeof CAROUSEL_RULES)[Kind], (kind: Kind, isGiven: boolean) => object> = {
  head: (kind, isGiven) => ({ ...withCard(kind, CARDS[kind]), head: isGiven ? HEAD : null }),
  header: (kind, isGiven) => withCard(kind, { ...CARDS[kind], header: isGiven ? 'h' : '' }),
  message: (kind, isGiven) => withCard(kind, { ...CARDS[kind], message: isGiven ? 'm' : '' }),
  additionalContent: (kind, isGiven) =>
    withCard(kind, { ...CARDS[kind], additionalContent: isGiven ? 'a' : '' }),
  commerce: (kind, isGiven) =>
    withCard(kind, {
      ...CARDS[kind],
      attachment: { image: IMAGE, commerce: isGiven ? COMMERCE : {} },
    }),
};

for (const kind of ['feed', 'commerce'] as const) {
  for (const [part, rule] of Object.entries(CAROUSEL_RULES[kind])) {
    const make = PARTS[part as keyof typeof PARTS];
    test(`${part} is ${rule} in a carousel of kind ${kind}`, () => {
      if (rule === 'needed') assert.equal(refusal(kind, make(kind, false))[0], 'A568');
      else accepted(kind, make(kind, false));
      if (rule === 'barred') assert.equal(refusal(kind, make(kind, true))[0], 'A568');
      else accepted(kind, make(kind, true));
    });
  }

  test(`takes 2 to 10 cards of kind ${kind}`, () => {
    const cards = (length: number) => ({ list: Array.from({ length }, () => CARDS[kind]) });
    accepted(kind, cards(2));
    accepted(kind, cards(10));
    assert.equal(refusal(kind, cards(1))[0], 'A567');
    assert.equal(refusal(kind, cards(11))[0], 'A567');
    assert.equal(refusal(kind, { tail: { urlMobile: 'm' } })[0], 'A567');
  });

  test(`a card of kind ${kind} needs an image`, () => {
    const card = CARDS[kind];
    const button = [{ type: 'BK', name: 'name' }];
    const without = { ...card, attachment: { ...card.attachment, button, image: { imgUrl: '' } } };
    assert.deepEqual(refusal(kind, withCard(kind, without)), [
      'A513',
      '"carousel.list[1].attachment.image" is required',
    ]);
    assert.deepEqual(refusal(kind, withCard(kind, { ...card, attachment: {} })), [
      'A567',
      '"carousel.list[1].attachment" is required',
    ]);
  });
}

const LIMITS = [
  { what: 'header of a card', most: 20, make: (text: string) => feedCard({ header: text }) },
  { what: 'message of a card', most: 180, make: (text: string) => feedCard({ message: text }) },
];
const COMMERCE_LIMITS = [
  {
    what: 'additionalContent of a card',
    most: 34,
    make: (text: string) => goodsCard({ additionalContent: text }),
  },
  { what: 'header of the head', most: 20, make: (text: string) => goodsHead({ header: text }) },
  { what: 'content of the head', most: 50, make: (text: string) => goodsHead({ content: text }) },
];

function feedCard(extra: object): object {
  return withCard('feed', { ...CARDS.feed, ...extra });
}
function goodsCard(extra: object): object {
  return withCard('commerce', { ...CARDS.commerce, ...extra });
}
function goodsHead(extra: object): object {
  return { ...goodsCard({}), head: { ...HEAD, ...extra } };
}

for (const [kind, limits] of [
  ['feed', LIMITS],
  ['commerce', COMMERCE_LIMITS],
] as const) {
  for (const { what, most, make } of limits) {
    test(`takes ${most} characters in the ${what} and answers A567 to one more`, () => {
      accepted(kind, make('가'.repeat(most)));
      assert.equal(refusal(kind, make('가'.repeat(most + 1)))[0], 'A567');
    });
  }
}

test('takes 12 characters in the description of a coupon on a card', () => {
  const make = (length: number) =>
    feedCard({
      attachment: { image: IMAGE, coupon: { title: '10% 할인', description: '가'.repeat(length) } },
    });
  accepted('feed', make(12));
  assert.equal(refusal('feed', make(13))[0], 'A573');
});

test('an opening card needs header and content', () => {
  assert.equal(refusal('commerce', goodsHead({ header: '' }))[0], 'A567');
  assert.equal(refusal('commerce', goodsHead({ content: null }))[0], 'A567');
});

test('reads the computer address of a closing card under the name "title", as a public client writes it', () => {
  const tail = { title: 'https://pc', urlMobile: 'https://m' };
  assert.deepEqual(accepted('feed', { ...feedCard({}), tail }).tail, {
    urlPc: 'https://pc',
    urlMobile: 'https://m',
  });
});

/** Cards side by side: a feed (FC) of texts, or goods for sale (FA). */
import { list } from '../../request/field-kinds.ts';
import { alsoNamed, BARRED, type Field, required, type ValuesOf } from '../../request/fields.ts';
import { Problem } from '../../request/problem.ts';
import { buttons } from '../messenger-buttons.ts';
import { characters, links, looseObject, roomyText } from '../messenger-fields.ts';
import { commerce, coupon, image } from './attachment.ts';

type CarouselKind = 'feed' | 'commerce';
type Rule = 'needed' | 'barred' | 'allowed';

/** Which parts the two kinds of carousel have. */
export const CAROUSEL_RULES = {
  feed: {
    head: 'barred',
    header: 'needed',
    message: 'needed',
    additionalContent: 'barred',
    commerce: 'barred',
  },
  commerce: {
    head: 'allowed',
    header: 'barred',
    message: 'barred',
    additionalContent: 'allowed',
    commerce: 'needed',
  },
} as const satisfies Record<CarouselKind, Record<string, Rule>>;

const COUPON_DESCRIPTION = 12;

function carouselFields(kind: CarouselKind) {
  const rules: Record<keyof (typeof CAROUSEL_RULES)[CarouselKind], Rule> = CAROUSEL_RULES[kind];
  const card = looseObject({
    code: 'A567',
    fields: {
      header: byRule(rules.header, kind, characters('A567', 20, 'Title of the card.')),
      message: byRule(rules.message, kind, characters('A567', 180, 'Text of the card.')),
      additionalContent: byRule(rules.additionalContent, kind, additionalContent('A567')),
      attachment: required(
        looseObject({
          code: 'A567',
          fields: {
            button: buttons,
            image: required(image),
            coupon: coupon(COUPON_DESCRIPTION),
            commerce: byRule(rules.commerce, kind, commerce),
          },
          description: 'Buttons, image, coupon, goods.',
        }),
      ),
    },
    description: 'Card.',
  });
  return {
    head: byRule(rules.head, kind, head),
    list: required(list({ code: 'A567', item: card, min: 2, max: 10, description: 'Cards, 2 to 10.' })),
    tail,
  };
}

const head = looseObject({
  code: 'A567',
  fields: {
    header: required(characters('A567', 20, 'Title of the opening card.')),
    content: required(characters('A567', 50, 'Text of the opening card.')),
    imageUrl: alsoNamed(roomyText('A567', 'Address of an uploaded image.'), 'image_url'),
    ...links('A567'),
  },
  description: 'Opening card.',
});

/** Sources disagree on which link the closing card needs, so none is required. */
const tail = looseObject({
  code: 'A567',
  // A public client writes the computer's address under the name "title".
  fields: { ...links('A567'), urlPc: alsoNamed(links('A567').urlPc, 'title', 'url_pc') },
  description: 'Closing card, "see more".',
});

/** The aliases are misspellings of two public clients. */
export function additionalContent(code: 'A300' | 'A567'): Field<string, false> {
  return alsoNamed(
    characters(code, 34, 'Small print.'),
    'addtionalContent',
    'addtioaddtionalContent',
    'additional_content',
  );
}

export type Carousel = ValuesOf<ReturnType<typeof carouselFields>>;

/** The carousel of a message type; refused in types that have none. */
export function carousel(kind: CarouselKind | undefined): Field<Carousel, false> {
  const base = looseObject({
    code: 'A567',
    fields: carouselFields(kind ?? 'feed'),
    description: 'Cards side by side.',
  });
  if (kind !== undefined) return base;
  return {
    ...base,
    schema: BARRED,
    read: (_given, path) => new Problem('A568', `"${path}" needs msgType FC or FA`),
  };
}

function byRule<T>(rule: Rule, kind: CarouselKind, base: Field<T, false>): Field<T> {
  const type = kind === 'feed' ? 'FC' : 'FA';
  switch (rule) {
    case 'needed':
      return { ...base, required: true, missingCode: 'A568' };
    case 'barred':
      return {
        ...base,
        schema: BARRED,
        read: (_given, path) => new Problem('A568', `"${path}" is not allowed in msgType ${type}`),
      };
    case 'allowed':
      return base;
  }
}

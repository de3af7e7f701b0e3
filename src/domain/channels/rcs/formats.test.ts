import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../../request/problem.ts';
import { findRcsFormat, RCS_FORMATS, RCS_TEMPLATE_KINDS, type RcsFormat, rcsServiceKind } from './formats.ts';
import { type RcsMessage, rcsLimitProblem } from './limits.ts';
import { parseRcsEntry } from './rcs.ts';

/** The table of the specification as printed: code, image, title, text, cards, buttons, label, sub-info. */
const PRINTED = [
  ['SS000000', '', 0, 100, 1, 1, 17, 0],
  ['SL000000', '568x528', 30, 1300, 1, 3, 17, 0],
  ['SMwThT00', '568x528', 30, 1300, 1, 2, 17, 0],
  ['SMwThM00', '568x336', 30, 1300, 1, 2, 17, 0],
  ['CMwMhM0200', '696x504', 30, 1300, 2, 2, 13, 0],
  ['CMwMhM0300', '696x504', 30, 1300, 3, 2, 13, 0],
  ['CMwMhM0400', '696x504', 30, 1300, 4, 2, 13, 0],
  ['CMwMhM0500', '696x504', 30, 1300, 5, 2, 13, 0],
  ['CMwMhM0600', '696x504', 30, 1300, 6, 2, 13, 0],
  ['CMwShS0200', '360x336', 30, 1300, 2, 2, 5, 0],
  ['CMwShS0300', '360x336', 30, 1300, 3, 2, 5, 0],
  ['CMwShS0400', '360x336', 30, 1300, 4, 2, 5, 0],
  ['CMwShS0500', '360x336', 30, 1300, 5, 2, 5, 0],
  ['CMwShS0600', '360x336', 30, 1300, 6, 2, 5, 0],
  ['OMHITV0001', '900x1200', 30, 0, 1, 2, 16, 1],
  ['OMHITS0001', '900x900', 30, 0, 1, 2, 16, 1],
  ['OMHIMV0001', '900x1200', 30, 0, 1, 2, 16, 0],
  ['OMHIMS0001', '900x900', 30, 0, 1, 2, 16, 0],
  ['OMTBNV0001', '900x560', 30, 150, 1, 2, 16, 2],
  ['OMTBNH0001', '900x560', 30, 150, 1, 2, 16, 3],
  ['OMSNSS0001', '900x900', 30, 150, 1, 2, 16, 0],
  ['OMSNSH0001', '900x900', 30, 150, 1, 2, 16, 0],
];

test('the table is the one of the specification', () => {
  const rows = RCS_FORMATS.map(format => [
    format.id,
    format.imageSizes.map(({ width, height }) => `${width}x${height}`).join(' '),
    format.titleMax,
    format.textMax,
    format.cards,
    format.buttonsPerCard,
    format.labelMax,
    format.subInfoMax,
  ]);
  assert.deepEqual(rows, PRINTED);
});

test('names the kind of message that reports show', () => {
  assert.equal(rcsServiceKind('SS000000'), 'RS');
  assert.equal(rcsServiceKind('SL000000'), 'RL');
  assert.equal(rcsServiceKind('CMwShS0600'), 'RM');
  assert.equal(rcsServiceKind('an issued template'), 'RF');
});

test('finds no format under a name of the prototype', () => {
  assert.equal(findRcsFormat('constructor'), undefined);
});

// A Hangul syllable and a family emoji are one character each, whatever they weigh.
const CHARACTERS = ['a', '가', '👨‍👩‍👧‍👦'];

/** A message that fills a format to every limit. */
function fullest(format: RcsFormat) {
  const character = CHARACTERS[format.id.length % CHARACTERS.length] ?? 'a';
  const card = (index: number) => {
    const share = format.isTextTotal ? Math.floor(format.textMax / format.cards) : format.textMax;
    const rest = format.isTextTotal && index === 0 ? format.textMax - share * format.cards : 0;
    return {
      title: '가'.repeat(format.titleMax),
      text: character.repeat(share + rest),
      media: format.image === 'none' ? '' : `maapfile://file${index}`,
      button: Array.from({ length: format.buttonsPerCard }, () => button('라'.repeat(format.labelMax ?? 20))),
    };
  };
  return {
    cards: Array.from({ length: format.cards }, (_, index) => card(index)),
    subContent: Array.from({ length: format.subInfoMax }, () => ({
      subTitle: 'sub',
      subMedia: 'maapfile://s',
    })),
  };
}

function button(name: string) {
  return { type: 'URL', name, url: 'https://example.com' };
}

type Message = ReturnType<typeof fullest>;

/** Puts the message into both styles; they must meet the same answer. */
function answers(format: RcsFormat, message: Message, reading: 'template' | 'final' = 'final') {
  const common = { from: '15880000', formatId: format.id };
  const content =
    format.kind === 'carousel'
      ? { carousel: message.cards }
      : { standalone: { ...message.cards[0], subContent: message.subContent } };
  const body: Record<string, string> = {};
  message.cards.forEach((card, index) => {
    const number = format.kind === 'carousel' ? index + 1 : '';
    body[`title${number}`] = card.title;
    body[`description${number}`] = card.text;
    body[`media${number}`] = card.media;
  });
  message.subContent.forEach(({ subTitle, subMedia }, index) => {
    body[`subTitle${index + 1}`] = subTitle;
    body[`subMedia${index + 1}`] = subMedia;
  });
  const buttons = message.cards.map(card => ({
    suggestions: card.button.map(({ name, url }) => ({
      action: {
        urlAction: { openUrl: { url } },
        displayText: name,
        postback: { data: 'set_by_chatbot_open_url' },
      },
    })),
  }));
  const simple = parseRcsEntry({ ...common, content }, reading, 'rcs');
  const expert = parseRcsEntry({ ...common, body, buttons }, reading, 'rcs');
  return [simple, expert];
}

function assertAccepted(format: RcsFormat, message: Message, reading?: 'template') {
  const [simple, expert] = answers(format, message, reading);
  assert.ok(!(simple instanceof Problem), simple instanceof Problem ? simple.result : '');
  assert.deepEqual(simple, expert);
}

function assertRefused(format: RcsFormat, message: Message, code: string, rule: RegExp) {
  for (const answer of answers(format, message)) {
    assert.ok(answer instanceof Problem, `${code} was expected`);
    assert.equal(answer.code, code, answer.result);
    assert.match(answer.result, rule);
  }
}

for (const format of RCS_FORMATS) {
  const change = (edit: (message: Message) => void): Message => {
    const message = fullest(format);
    edit(message);
    return message;
  };
  const last = format.cards - 1;
  const editLast = (edit: (card: Message['cards'][number]) => void) =>
    change(({ cards }) => {
      const card = cards[last];
      if (card) edit(card);
    });

  test(`${format.id} holds as much as its limits allow, in both styles alike`, () => {
    assertAccepted(format, fullest(format));
  });

  test(`${format.id} holds as little as its limits allow`, () => {
    const message = change(full => {
      full.subContent = [];
      for (const card of full.cards) {
        card.title = '';
        card.button = [];
        if (!format.isTextRequired) card.text = '';
        if (format.image === 'optional') card.media = '';
      }
    });
    assertAccepted(format, message);
  });

  test(`${format.id} refuses one character more in a title`, () => {
    const rule = format.titleMax === 0 ? /title.*not allowed/ : /title.*longer than 30 characters \(was 31\)/;
    const longer = editLast(card => {
      card.title += 'x';
    });
    assertRefused(format, longer, 'A415', rule);
  });

  test(`${format.id} refuses one character more of text`, () => {
    const total = `longer than ${format.textMax} characters.*was ${format.textMax + 1}`;
    const longer = editLast(card => {
      card.text += 'x';
    });
    assertRefused(format, longer, 'A415', format.textMax === 0 ? /not allowed/ : new RegExp(total));
  });

  test(`${format.id} refuses one button more, and one character more in a label`, () => {
    const more = editLast(card => {
      card.button.push(button('more'));
    });
    assertRefused(format, more, 'A406', new RegExp(`more than ${format.buttonsPerCard} button`));
    const longer = editLast(card => {
      card.button = [button('x'.repeat((format.labelMax ?? 0) + 1))];
    });
    assertRefused(format, longer, 'A427', new RegExp(`longer than ${format.labelMax} characters`));
  });

  if (format.kind === 'standalone') {
    test(`${format.id} refuses one sub-info more`, () => {
      const more = change(full => {
        full.subContent.push({ subTitle: 'more', subMedia: 'maapfile://more' });
      });
      assertRefused(format, more, 'A424', /has more than \d sub-info/);
    });
  }

  if (format.kind === 'carousel') {
    test(`${format.id} refuses one card more or less`, () => {
      const more = change(({ cards }) => {
        cards.push({ title: '', text: '', media: 'maapfile://more', button: [] });
      });
      assertRefused(format, more, 'A417', /must have . cards in .* \(was \d\)/);
      const fewer = change(({ cards }) => {
        cards.pop();
      });
      assertRefused(format, fewer, 'A415', /must have . cards/);
    });
  }

  test(`${format.id} asks for what it needs and refuses what it has no room for`, () => {
    if (format.image === 'required') {
      const bare = editLast(card => {
        card.media = '';
      });
      assertRefused(format, bare, 'A415', /media\d?" is required/);
    }
    if (format.image !== 'none') {
      const foreign = editLast(card => {
        card.media = 'https://example.com/a.jpg';
      });
      assertRefused(format, foreign, 'A415', /maapfile:/);
    }
    if (format.image === 'none') {
      const pictured = editLast(card => {
        card.media = 'maapfile://a';
      });
      assertRefused(format, pictured, 'A415', /media" is not allowed/);
    }
    if (format.isTextRequired) {
      const silent = editLast(card => {
        card.text = '';
      });
      assertRefused(format, silent, 'A415', /(text|description)" is required/);
    }
  });

  test(`${format.id} does not measure a text with a placeholder before its values are known`, () => {
    const open = editLast(card => {
      if (format.titleMax > 0) card.title = `#{${'x'.repeat(40)}}`;
      if (format.textMax > 0) card.text = `#{${'x'.repeat(1400)}}`;
      if (format.image !== 'none') card.media = '#{image}';
      card.button = [button(`#{${'x'.repeat(30)}}`)];
    });
    assertAccepted(format, open, 'template');
    for (const answer of answers(format, open)) assert.ok(answer instanceof Problem);
  });

  test(`${format.id} measures what no word can shorten`, () => {
    const edits = [
      ...(format.titleMax > 0 ? [{ title: `${'x'.repeat(40)}#{name}` }] : []),
      ...(format.textMax > 0 ? [{ text: `${'x'.repeat(1400)}#{name}` }] : []),
      ...(format.labelMax === undefined ? [] : [{ button: [button(`${'x'.repeat(30)}#{name}`)] }]),
    ];
    for (const edit of edits) {
      const message = editLast(card => Object.assign(card, edit));
      for (const answer of answers(format, message, 'template')) {
        assert.ok(answer instanceof Problem, Object.keys(edit).join());
        assert.match(answer.result, / without its placeholders \(was \d+\)$/);
      }
    }
  });
}

test('a template kind has limits of the same shape, held by the same check', () => {
  const names: RcsMessage['names'] = {
    cards: 'body',
    subInfos: 'body',
    card: key => `body.${key}`,
    subInfo: (key, index) => `body.${key}${index + 1}`,
    buttonEntries: 'buttons',
    buttons: card => `buttons[${card}]`,
    label: (card, index) => `buttons[${card}][${index}]`,
  };
  const check = (format: RcsFormat, body: RcsMessage['body'], count = 0) => {
    const suggestions = Array.from({ length: count }, () => ({ action: { displayText: 'x'.repeat(100) } }));
    const message = { body, buttons: [{ suggestions }], cards: 1, subInfos: body.subDesc1 ? 1 : 0, names };
    return rcsLimitProblem(message, format, 'final')?.code;
  };
  for (const format of Object.values(RCS_TEMPLATE_KINDS)) {
    const { titleMax, textMax, buttonsPerCard, image } = format;
    const media = image === 'required' && { media: 'maapfile://a' };
    const title = titleMax > 0 && { title: 'x'.repeat(titleMax) };
    const full = { ...title, description: 'x'.repeat(textMax), ...media };
    assert.equal(check(format, full, buttonsPerCard), undefined, format.id);
    assert.equal(check(format, { title: 'x'.repeat(titleMax + 1) }), 'A415', format.id);
    assert.equal(check(format, { description: 'x'.repeat(textMax + 1) }), 'A415', format.id);
    assert.equal(check(format, full, buttonsPerCard + 1), 'A406', format.id);
    assert.equal(check(format, { ...full, media: undefined }), media ? 'A415' : undefined, format.id);
  }
  const pictured = { media: 'maapfile://a', subDesc1: 'x'.repeat(33) };
  assert.equal(check(RCS_TEMPLATE_KINDS.image, pictured), undefined);
  assert.equal(check(RCS_TEMPLATE_KINDS.image, { ...pictured, subDesc1: 'x'.repeat(34) }), 'A415');
});

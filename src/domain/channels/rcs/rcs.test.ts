import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../../request/problem.ts';
import { RCS_FORMATS } from './formats.ts';
import {
  expiryMs,
  parseRcs,
  parseRcsEntry,
  type RcsStep,
  rcsCardMediaOf,
  rcsEntryFields,
  rcsMediaOf,
} from './rcs.ts';

const text = { standalone: { text: 'Hello' } };
const entry = { from: '15880000', formatId: 'SS000000', content: text };
const single = { ...entry, to: '010-1234-5678', brandKey: 'BK.1' };
const issued = { from: '15880000', formatId: 'UBR.issued' };

function stepOf(given: unknown, reading: 'template' | 'final' = 'final'): RcsStep {
  const answer = parseRcsEntry(given, reading, 'messageFlow[0].rcs');
  assert.ok(!(answer instanceof Problem), answer instanceof Problem ? answer.result : '');
  return answer;
}

function entryRefusal(given: unknown): [string, string] {
  const answer = parseRcsEntry(given, 'final', 'rcs');
  assert.ok(answer instanceof Problem, 'a refusal was expected');
  return [answer.code, answer.result];
}

function refusal(given: unknown): [string, string] {
  const answer = parseRcs(given);
  assert.ok(answer instanceof Problem, 'a refusal was expected');
  return [answer.code, answer.result];
}

function flowOf(given: unknown) {
  const answer = parseRcs(given);
  assert.ok(!(answer instanceof Problem), answer instanceof Problem ? answer.result : '');
  return answer;
}

test('reads a single send, and fills in what was not said', () => {
  assert.deepEqual(flowOf({ ...single, ref: 'r-1' }), {
    to: '01012345678',
    ref: 'r-1',
    flow: [
      {
        channel: 'rcs',
        from: '15880000',
        formatId: 'SS000000',
        brandKey: 'BK.1',
        expiryOption: '1',
        header: '0',
        body: { description: 'Hello' },
        buttons: [],
      },
    ],
  });
});

test('a flow entry may leave out the brand key, a single send may not', () => {
  assert.equal(stepOf(entry).brandKey, undefined);
  assert.deepEqual(refusal({ ...single, brandKey: null }), ['A420', '"brandKey" is required']);
});

for (const [field, value, code] of [
  ['from', '', 'A302'],
  ['from', 'Shop', 'A302'],
  ['to', undefined, 'A306'],
  ['to', '+14155550123', 'A306'],
  ['formatId', '', 'A404'],
  ['brandKey', '', 'A420'],
  ['brandKey', 'x'.repeat(101), 'A420'],
  ['brandId', 'x'.repeat(101), 'A419'],
  ['groupId', 'x'.repeat(101), 'A409'],
  ['expiryOption', '5', 'A408'],
  ['copyAllowed', '2', 'A407'],
  ['copyAllow', 'Y', 'A407'],
  ['header', 'Y', 'A411'],
  ['header', '1', 'A412'],
  ['footer', 'x'.repeat(101), 'A412'],
  ['agencyId', 'x'.repeat(101), 'A413'],
  ['agencyKey', 'x'.repeat(101), 'A418'],
  ['ttl', 'soon', 'A304'],
  ['ttl', 1.5, 'A304'],
  ['ttl', ['5'], 'A011'],
  ['ttl', true, 'A011'],
  ['ttl', { toString: 1 }, 'A011'],
  ['ref', 'x'.repeat(201), 'A305'],
  ['content', undefined, 'A415'],
  ['content', 'Hello', 'A011'],
  ['content', {}, 'A415'],
  ['content', { standalone: 'Hello' }, 'A011'],
  ['content', { carousel: { text: 'Hello' } }, 'A415'],
  ['body', 'Hello', 'A011'],
  ['buttons', {}, 'A011'],
] as const) {
  test(`answers ${code} for ${field} ${JSON.stringify(value)?.slice(0, 40)}`, () => {
    assert.equal(refusal({ ...single, [field]: value })[0], code);
  });
}

test('takes numbers for options, and the spelling copyAllow', () => {
  const step = stepOf({ ...entry, expiryOption: 3, header: 0, copyAllow: 1, ttl: 60 });
  assert.deepEqual([step.expiryOption, step.header, step.copyAllowed, step.ttl], ['3', '0', '1', '60']);
});

test('an advertisement needs its footer', () => {
  assert.deepEqual(entryRefusal({ ...entry, header: '1' }), [
    'A412',
    '"rcs.footer" is required when "rcs.header" is 1',
  ]);
  assert.equal(stepOf({ ...entry, header: '1', footer: '가'.repeat(100) }).footer, '가'.repeat(100));
});

test('a footer of blanks is none', () => {
  assert.equal(entryRefusal({ ...entry, header: '1', footer: ' \u3000' })[0], 'A412');
});

test('a tap on an image opens an address, or the image itself', () => {
  const card = (fields: object) => ({
    ...entry,
    formatId: 'OMTBNV0001',
    content: { standalone: { media: 'maapfile://a', ...fields } },
  });
  for (const mediaUrl of ['https://example.com/a', 'shop://item', '\\'])
    assert.ok(stepOf(card({ mediaUrl })));
  for (const mediaUrl of ['here', 'javascript:alert(1)', '\\\\']) {
    assert.deepEqual(entryRefusal(card({ mediaUrl })), [
      'A415',
      '"rcs.content.standalone.mediaUrl" must be a full address such as https://example.com, or \\ to fill the screen',
    ]);
    assert.equal(entryRefusal(card({ subContent: [{ subMediaUrl: mediaUrl }] }))[0], 'A415');
    assert.ok(stepOf({ ...issued, body: { mediaUrl } }), 'an id that nobody registered has no rules');
  }
  assert.ok(stepOf(card({ mediaUrl: '#{link}' }), 'template'));
});

test('a card of a carousel has no sub-infos', () => {
  const cards = (subContent: unknown) => [
    { media: 'maapfile://a', subContent },
    { media: 'maapfile://a', subContent: [] },
  ];
  const carousel = (subContent: unknown) => ({
    ...entry,
    formatId: 'CMwMhM0200',
    content: { carousel: cards(subContent) },
  });
  assert.ok(stepOf(carousel(null)));
  assert.deepEqual(entryRefusal(carousel([{ subTitle: 'a' }])), [
    'A424',
    '"rcs.content.carousel[0].subContent" is not allowed in a carousel',
  ]);
});

test('a refusal gives the length of a text, and no number for one that nobody counts', () => {
  const long = (length: number) => ({ ...entry, content: { standalone: { text: '가'.repeat(length) } } });
  assert.match(entryRefusal(long(101))[1], /\(was 101\)$/);
  assert.match(entryRefusal(long(10_000))[1], /\(was 10000\)$/);
  assert.match(entryRefusal(long(100_000))[1], /\(was more than 400\)$/);
});

test('holds exactly one of content and body', () => {
  const { content: _, ...neither } = entry;
  assert.deepEqual(entryRefusal(neither), ['A415', 'One of "rcs.content" and "rcs.body" is required']);
  const both = { ...entry, body: { description: 'Hello' } };
  assert.deepEqual(entryRefusal(both), ['A415', '"rcs.content" and "rcs.body" cannot be used together']);
  assert.ok(stepOf({ ...entry, body: null }));
});

test('content holds exactly one kind', () => {
  const both = { ...text, template: { key: 'value' } };
  assert.deepEqual(entryRefusal({ ...entry, content: both }), [
    'A415',
    '"rcs.content" must hold exactly one of "standalone", "carousel" and "template" (was "standalone" and "template")',
  ]);
  assert.ok(stepOf({ ...entry, content: { ...text, carousel: [], template: null } }));
});

test('buttons go only with body', () => {
  assert.deepEqual(entryRefusal({ ...entry, buttons: [{ suggestions: [] }] }), [
    'A425',
    '"rcs.buttons" needs "rcs.body"',
  ]);
  assert.ok(stepOf({ ...entry, buttons: [] }));
});

test('the kind of content is the kind of the format', () => {
  for (const { id, kind } of RCS_FORMATS) {
    for (const other of ['standalone', 'carousel', 'template']) {
      if (other === kind) continue;
      const content = { [other]: other === 'carousel' ? [{ text: 'Hello' }] : { text: 'Hello' } };
      assert.deepEqual(entryRefusal({ ...entry, formatId: id, content }), [
        'A415',
        `"rcs.content" must hold "${kind}" for ${id} (was "${other}")`,
      ]);
    }
  }
  assert.equal(entryRefusal({ ...issued, formatId: 'SS000000', body: { description1: 'Hello' } })[0], 'A415');
  assert.equal(entryRefusal({ ...issued, formatId: 'CMwMhM0200', body: { title: 'Hello' } })[0], 'A415');
});

test('puts a standalone message into carrier-standard form', () => {
  const { body, buttons } = stepOf({
    ...entry,
    formatId: 'OMTBNV0001',
    content: {
      standalone: {
        title: 'Title',
        text: 'Text',
        media: 'maapfile://a',
        mediaUrl: '\\',
        subContent: [
          { subTitle: 'T', subDesc: 'D', subMedia: 'maapfile://b', subMediaUrl: 'https://b' },
          { SubDesc: 'E', subUrl: 'https://c' },
        ],
        button: [{ type: 'MAP_SEND', name: 'Here' }],
      },
    },
  });
  assert.deepEqual(body, {
    title: 'Title',
    description: 'Text',
    media: 'maapfile://a',
    mediaUrl: '\\',
    subTitle1: 'T',
    subDesc1: 'D',
    subMedia1: 'maapfile://b',
    subMediaUrl1: 'https://b',
    subDesc2: 'E',
    subMediaUrl2: 'https://c',
  });
  assert.equal(buttons.length, 1);
});

test('numbers the cards of a carousel, and gives each an entry of buttons', () => {
  const carousel = [
    { title: 'One', text: 'First', media: 'maapfile://a' },
    { media: 'maapfile://b', mediaUrl: 'https://b', button: [{ type: 'MAP_SEND', name: 'Here' }] },
    { media: 'maapfile://c', button: [] },
  ];
  const { body, buttons } = stepOf({ ...entry, formatId: 'CMwMhM0300', content: { carousel } });
  assert.deepEqual(body, {
    title1: 'One',
    description1: 'First',
    media1: 'maapfile://a',
    media2: 'maapfile://b',
    mediaUrl2: 'https://b',
    media3: 'maapfile://c',
  });
  assert.deepEqual(
    buttons.map(({ suggestions }) => suggestions?.length),
    [undefined, 1, undefined],
  );
});

test('an expert body is read in any letter case and its buttons are filled up to the cards', () => {
  const action = { urlAction: { openUrl: { url: 'https://a' } }, displayText: 'Open' };
  const { body, buttons } = stepOf({
    ...issued,
    formatId: 'CMwShS0200',
    body: {
      Title1: 'One',
      MEDIA1: 'maapfile://a',
      media2: 'maapfile://b',
      title2: '',
      mediaUrl2: null,
      x: 1,
    },
    buttons: [{ suggestions: [{ action }] }],
  });
  assert.deepEqual(body, { title1: 'One', media1: 'maapfile://a', media2: 'maapfile://b', x: '1' });
  assert.deepEqual(buttons, [{ suggestions: [{ action }] }, {}]);
  const twice = { description: 'Hello', Description: 'Bye' };
  assert.deepEqual(entryRefusal({ ...issued, formatId: 'SS000000', body: twice }), [
    'A415',
    '"rcs.body.Description" is given more than once',
  ]);
});

for (const [name, suggestion, code] of [
  ['no object', 'Open', 'A011'],
  ['no action', { reply: { displayText: 'Yes' } }, 'A406'],
  ['no label', { action: { urlAction: {} } }, 'A427'],
  ['a label that is no string', { action: { urlAction: {}, displayText: 1 } }, 'A011'],
  ['nothing to do', { action: { displayText: 'Open' } }, 'A426'],
] as const) {
  test(`answers ${code} for an expert button with ${name}, in a format of the table`, () => {
    const expert = { body: { description: 'Hello' }, buttons: [{ suggestions: [suggestion] }] };
    assert.equal(entryRefusal({ ...issued, formatId: 'SS000000', ...expert })[0], code);
    if (typeof suggestion === 'object') assert.ok(stepOf({ ...issued, ...expert }));
  });
}

test('refuses expert buttons for more cards than the format has', () => {
  const action = { urlAction: { openUrl: { url: 'https://a' } }, displayText: 'Open' };
  const buttons = [{}, { suggestions: [{ action }] }];
  const answer = entryRefusal({ ...issued, formatId: 'SS000000', body: { description: 'Hello' }, buttons });
  assert.deepEqual(answer, ['A406', '"rcs.buttons" has more entries than SS000000 has cards (was 2)']);
});

test('a value of a known key is a string in a format of the table', () => {
  assert.equal(entryRefusal({ ...entry, content: { standalone: { text: 5 } } })[0], 'A011');
  assert.equal(entryRefusal({ ...issued, formatId: 'SS000000', body: { description: 5 } })[0], 'A011');
});

test('an issued template takes any keys: numbers become text, objects stay, null is left out', () => {
  const keys = { mTitle: 'M', cellLeft1: 7, isOpen: true, empty: '', none: null, deep: { a: [1, 'b'] } };
  const body = { mTitle: 'M', cellLeft1: '7', isOpen: 'true', empty: '', deep: { a: [1, 'b'] } };
  assert.deepEqual(stepOf({ ...issued, body: keys }).body, body);
  const template = { ...keys, subContent: [{ SubTitle: 'T', subUrl: 'https://a' }] };
  assert.deepEqual(stepOf({ ...issued, content: { template } }).body, {
    ...body,
    subTitle1: 'T',
    subMediaUrl1: 'https://a',
  });
});

test('a single sub-info may be written without its list', () => {
  const one = { subTitle: 'T', subDesc: 'D' };
  for (const subContent of [one, [one]]) {
    const { body } = stepOf({ ...issued, content: { template: { title: 'title', subContent } } });
    assert.deepEqual(body, { title: 'title', subTitle1: 'T', subDesc1: 'D' });
  }
  const refused = entryRefusal({ ...issued, content: { template: { subContent: 'T' } } });
  assert.equal(refused[0], 'A011');
  const schema = JSON.stringify(rcsEntryFields.content.schema);
  assert.match(schema, /"subContent":\{"anyOf":\[\{"type":"array"/);
});

test('a known key is a string in an issued template too', () => {
  for (const keys of [{ title: 5 }, { description: true }, { subTitle1: 5 }, { media: {} }]) {
    assert.equal(entryRefusal({ ...issued, body: keys })[0], 'A011', JSON.stringify(keys));
  }
  assert.deepEqual(entryRefusal({ ...issued, content: { template: { title: 5 } } }), [
    'A011',
    '"rcs.content.template.title" must be a string',
  ]);
});

test('the step of an issued template knows which content was given', () => {
  const kinds = [{ standalone: { text: 'a' } }, { carousel: [{ text: 'a' }] }, { template: { a: 'b' } }];
  assert.deepEqual(
    kinds.map(content => stepOf({ ...issued, content }).contentKind),
    ['standalone', 'carousel', 'template'],
  );
  assert.equal(stepOf({ ...issued, body: { a: 'b' } }).contentKind, undefined);
  assert.equal(stepOf(entry).contentKind, undefined);
});

test('an issued template has no limits of length, and may be a carousel of one card', () => {
  const card = { title: 'x'.repeat(500), text: 'x'.repeat(5000), media: 'word' };
  assert.ok(stepOf({ ...issued, content: { standalone: card } }));
  const { body, buttons } = stepOf({ ...issued, content: { carousel: [card] } });
  assert.deepEqual(Object.keys(body), ['title1', 'description1', 'media1']);
  assert.deepEqual(buttons, []);
});

test('refuses keys and values that cannot be kept', () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 20_000; level++) deep = [deep];
  assert.match(entryRefusal({ ...issued, body: { deep } })[1], /"rcs.body.deep" is nested deeper than 16/);
  assert.equal(entryRefusal({ ...issued, content: { template: { deep } } })[0], 'A415');
  assert.equal(entryRefusal({ ...issued, body: {}, buttons: [deep] })[0], 'A406');
  assert.equal(entryRefusal({ ...issued, body: { key: '\0' } })[0], 'A415');
  assert.equal(entryRefusal({ ...issued, body: { key: { nested: '\ud800' } } })[0], 'A415');
  assert.equal(entryRefusal({ ...issued, body: { '\0': 'value' } })[0], 'A415');
  assert.equal(entryRefusal({ ...issued, body: { ['k'.repeat(65)]: 'value' } })[0], 'A415');
  assert.equal(entryRefusal({ ...entry, content: { standalone: { text: '\0' } } })[0], 'A415');
  const crowd = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`k${index}`, 'x']));
  for (const formatId of ['issued', 'SS000000']) {
    assert.match(entryRefusal({ ...issued, formatId, body: crowd })[1], /more than 1000 keys \(was 200000\)/);
  }
});

test("accepts what the Python client's tests send", () => {
  const words = {
    from: '0316281500',
    to: '01012341234',
    formatId: 'formatId',
    brandKey: 'brandKey',
    ref: '',
  };
  const button = [
    { type: 'URL', name: 'name', url: 'http://' },
    { type: 'MAP_LOC', name: 'name', label: 'l', latitude: '1', longitude: '1', fallbackUrl: 'url' },
    { type: 'MAP_QRY', name: 'name', query: 'query', fallbackUrl: 'url' },
    { type: 'MAP_SEND', name: 'name' },
    { type: 'CALENDAR', name: 'name', startTime: '1', endTime: '2', title: 't', description: 'd' },
    { type: 'COPY', name: 'name', text: 'text' },
    { type: 'COM_T', name: 'name', phoneNumber: 'phone', text: 'text' },
    { type: 'COM_V', name: 'name', phoneNumber: 'phone' },
    { type: 'DIAL', name: 'name', phoneNumber: 'phone' },
  ];
  const card = { text: 'text', title: 'title', media: 'media', mediaUrl: 'url', button };
  const subContent = [{ subTitle: 't', subDesc: 'd', subMedia: 'm', subMediaUrl: 'u' }];
  const contents = [
    { standalone: { ...card, subContent } },
    { standalone: { ...card, button: [] } },
    { carousel: [card] },
    { template: { title: 'title', description: 'description', subContent } },
  ];
  for (const content of contents) {
    const fallback = { type: 'MMS', text: 'text', title: 'title', fileKey: ['fileKey'], originCID: '1234' };
    const answer = flowOf({ ...words, header: '1', footer: '1234', content, fallback });
    assert.equal(answer.flow.length, 2);
  }
  const flowEntry = { ...words, agencyId: 'agencyId', ttl: '86400', copyAllowed: '1', content: contents[0] };
  assert.equal(stepOf(flowEntry).ttl, '86400');
});

test('a fallback is the second step, from the same sender unless it names one', () => {
  const fallback = { type: 'SMS', text: 'Hello' };
  const second = flowOf({ ...single, fallback }).flow[1];
  assert.deepEqual(second, { channel: 'sms', from: '15880000', text: 'Hello' });
  const other = flowOf({ ...single, fallback: { ...fallback, from: '15990000' } }).flow[1];
  assert.deepEqual(other, { channel: 'sms', from: '15990000', text: 'Hello' });
  assert.equal(flowOf({ ...single, fallback: null }).flow.length, 1);
});

for (const [fallback, code] of [
  ['SMS', 'A011'],
  [{}, 'A312'],
  [{ type: 'FAX', text: 'Hello' }, 'A312'],
  [{ type: 'SMS' }, 'A314'],
  [{ type: 'SMS', text: 'x'.repeat(2001) }, 'A329'],
  [{ type: 'MMS', text: 'Hello', fileKey: ['a', 'b', 'c', 'd'] }, 'A317'],
] as const) {
  test(`answers ${code} for the fallback ${JSON.stringify(fallback).slice(0, 40)}`, () => {
    assert.equal(refusal({ ...single, fallback })[0], code);
  });
}

test('finds the images of a message', () => {
  const step = stepOf({
    ...issued,
    body: { media: 'maapfile://a', subMedia1: 'maapfile://b', logo: 'maapfile://c', media2: 'word' },
  });
  const found = rcsMediaOf(step).map(({ field, name }) => [field, name]);
  assert.deepEqual(found, [
    ['body.media', 'maapfile://a'],
    ['body.subMedia1', 'maapfile://b'],
    ['body.logo', 'maapfile://c'],
  ]);
  assert.deepEqual(
    rcsCardMediaOf(step).map(({ name }) => name),
    ['maapfile://a'],
  );
});

test('waits as long as the expiry option says', () => {
  assert.deepEqual((['1', '2', '3', '4'] as const).map(expiryMs), [86_400_000, 40_000, 190_000, 3_600_000]);
});

test('a simple request and the expert request that says the same are the same step', () => {
  const words = fc.string({ minLength: 1, maxLength: 5, unit: fc.constantFrom('a', '가', ' ', '#') });
  const button = fc.oneof(
    fc.record({ type: fc.constant('COPY'), name: words, text: words }),
    fc.record({ type: fc.constant('MAP_SEND'), name: words }),
    fc.record({ type: fc.constant('DIAL'), name: words, phoneNumber: fc.constant('15880000') }),
  );
  const card = fc.record(
    {
      media: fc.constant('maapfile://a'),
      title: words,
      text: words,
      mediaUrl: fc.constantFrom('\\', 'https://example.com', 'shop://item/1'),
      button: fc.array(button, { maxLength: 2 }),
    },
    { requiredKeys: ['media'] },
  );
  const sub = fc.record({ subTitle: words, subMedia: fc.constant('maapfile://b') }, { requiredKeys: [] });
  const message = fc.oneof(
    fc.record({
      formatId: fc.constant('OMTBNV0001'),
      content: fc.record({
        standalone: fc.tuple(card, fc.array(sub, { maxLength: 2 })).map(([own, subContent]) => ({
          ...own,
          subContent,
        })),
      }),
    }),
    fc.record({
      formatId: fc.constant('CMwShS0300'),
      content: fc.record({ carousel: fc.array(card, { minLength: 3, maxLength: 3 }) }),
    }),
  );
  fc.assert(
    fc.property(message, ({ formatId, content }) => {
      const simple = stepOf({ from: '15880000', formatId, content });
      const expert = { from: '15880000', formatId, body: simple.body, buttons: simple.buttons };
      assert.deepEqual(stepOf(expert), simple);
    }),
  );
});

test('no body, however odd, makes it throw', () => {
  const anything = fc.anything({ withNullPrototype: true });
  const odd = fc.oneof(anything, fc.jsonValue(), fc.array(anything));
  const cards = fc.oneof(odd, fc.record({ text: odd, title: odd, media: odd, button: odd, subContent: odd }));
  const content = fc.record(
    { standalone: cards, carousel: fc.array(cards), template: odd },
    { requiredKeys: [] },
  );
  const request = fc.record(
    {
      from: fc.constant('15880000'),
      to: fc.constant('01012345678'),
      brandKey: fc.oneof(fc.constant('BK'), odd),
      formatId: fc.constantFrom(...RCS_FORMATS.map(({ id }) => id), 'issued'),
      content: fc.oneof(odd, content),
      body: fc.oneof(odd, fc.dictionary(fc.constantFrom('title', 'title1', 'media', 'subDesc1', 'x'), odd)),
      buttons: fc.array(fc.oneof(odd, fc.record({ suggestions: fc.array(fc.record({ action: odd })) }))),
      header: odd,
      footer: odd,
      fallback: odd,
    },
    { requiredKeys: ['from', 'to', 'formatId'] },
  );
  fc.assert(
    fc.property(fc.oneof({ weight: 1, arbitrary: anything }, { weight: 9, arbitrary: request }), given => {
      for (const answer of [
        parseRcs(given),
        parseRcsEntry(given, 'template', 'rcs'),
        parseRcsEntry(given, 'final', 'rcs'),
      ]) {
        assert.ok(answer instanceof Problem || 'flow' in answer || answer.channel === 'rcs');
      }
    }),
    { numRuns: 1000 },
  );
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { nearestFormat } from '../channels/rcs/formats.ts';
import { registeredOf } from '../registry/registered.ts';
import { parseRegistryEntry, type RegistryEntry } from '../registry/registry.ts';
import type { Step } from './flow.ts';
import { certainObjections, isCertain, objectionsTo, questionsOf } from './network-objections.ts';

const KEY = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PAAAA';
const OTHER = '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PBBBB';
const templates = [
  { kind: 'rcsTemplate', formatId: 'TPL1', templateKind: 'free' },
  { kind: 'rcsTemplate', formatId: 'DRAFT', templateKind: 'free', state: 'draft' },
  { kind: 'alimtalkTemplate', key: 'k/PLAIN', text: '#{name}님, hi' },
  { kind: 'alimtalkTemplate', key: 'k/NEW', text: 'hi', state: 'review' },
  {
    kind: 'alimtalkTemplate',
    key: 'k/FULL',
    ...{ msgType: 'AI', text: 'hi', title: 'a', header: 'b' },
    item: { list: [1, 2].map(each => ({ title: `${each}`, description: 'c' })) },
    itemHighlight: { title: 'd', description: 'e' },
    buttons: [{ type: 'WL', name: 'go', urlMobile: 'https://example.com/#{id}' }],
    quickReplies: [{ type: 'BK', name: 'Yes' }],
  },
  {
    kind: 'brandmessageTemplate',
    key: 'k/B1',
    ...{ msgType: 'FT', text: 'sale #{day}', buttons: [{ type: 'AC', name: 'add' }] },
  },
].map(entry => parseRegistryEntry(entry) as RegistryEntry);
const found = { registered: registeredOf(templates), files: new Set([KEY]) };

const rcs = (fields: object) =>
  ({
    channel: 'rcs',
    from: '021',
    expiryOption: '1',
    header: '0',
    body: {},
    buttons: [],
    ...fields,
  }) as unknown as Step;
const mms = (...fileKey: string[]) => ({ channel: 'mms', from: '021', text: 'a', fileKey }) as Step;
const friendtalk = (imgUrl: string) =>
  ({ channel: 'friendtalk', senderKey: 'k', msgType: 'FI', attachment: { image: { imgUrl } } }) as Step;

const go = { type: 'WL', name: 'go', urlMobile: 'https://example.com/7' };
const alimtalk = (templateCode: string, fields: object = {}) =>
  ({ channel: 'alimtalk', senderKey: 'k', templateCode, msgType: 'AT', text: 'hi', ...fields }) as Step;
const brandmessage = (fields: object) =>
  ({
    ...{ channel: 'brandmessage', senderKey: 'k', sendType: 'basic', msgType: 'FT', templateCode: 'B1' },
    ...fields,
  }) as Step;

for (const [what, step, codes, detail] of [
  ['a format of the table', rcs({ formatId: 'SS000000' }), []],
  ['a registered template', rcs({ formatId: 'TPL1', contentKind: 'template' }), []],
  ['an id that nobody registered', rcs({ formatId: 'TPL2' }), ['33121'], /neither a format of the table/],
  ['a draft', rcs({ formatId: 'DRAFT' }), ['33121'], /in the state draft/],
  ['a slip', rcs({ formatId: 'SS00000' }), ['33121'], /the nearest format is SS000000$/],
  ['a card in a template', rcs({ formatId: 'TPL1', contentKind: 'standalone' }), ['33124'], /"standalone"/],
  [
    'both',
    rcs({ formatId: 'TPL2', contentKind: 'carousel' }),
    ['33121', '33124'],
    /neither a format of the table/,
  ],
  ['an upload', rcs({ formatId: 'SMwThM00', body: { media: `maapfile://${KEY}` } }), []],
  [
    'no upload',
    rcs({ formatId: 'SMwThM00', body: { media: `maapfile://${OTHER}` } }),
    ['33120'],
    /^maapfile:\/\/06C\w+ is not an uploaded file/,
  ],
  [
    'any word',
    rcs({ formatId: 'SMwThM00', body: { media: 'maapfile://word' } }),
    ['33120'],
    /^maapfile:\/\/word/,
  ],
  ['uploads in an MMS', mms(KEY), []],
  ['one bad key of two', mms(KEY, 'fileKey'), ['23034'], /^fileKey is not an uploaded file/],
  ['an image of ours', friendtalk(`https://msg.example/files/${KEY}`), []],
  ['an image that was ours', friendtalk(`https://msg.example/files/${OTHER}`), ['63024'], /has expired$/],
  ['an image of somebody else', friendtalk('https://example.com/image.jpg'), []],
  ['an alimtalk of nobody’s template', alimtalk('NONE', { attachment: { button: [go] } }), []],
  ['an alimtalk as it was registered', alimtalk('PLAIN', { text: 'Kim님, hi' }), []],
  ['another text', alimtalk('PLAIN', { text: 'Kim님, hello' }), ['63016'], /^"text" differs from .* PLAIN$/],
  [
    'a button that the template does not have',
    alimtalk('PLAIN', { text: '님, hi', attachment: { button: [go] } }),
    ['63027'],
    /^"attachment.button" differs/,
  ],
  [
    'a quick reply that the template does not have',
    alimtalk('PLAIN', { text: '님, hi', supplement: { quickReply: [{ type: 'BK', name: 'Yes' }] } }),
    ['63027'],
  ],
  ['a template in review', alimtalk('NEW'), ['63015'], /NEW is a template in the state review$/],
  [
    'an alimtalk without the parts of its template',
    alimtalk('FULL'),
    ['61033', '63028', '63031', '63036', '63033', '63027', '63027'],
  ],
  ['a brandmessage that leaves the content to its template', brandmessage({}), []],
  ['a brandmessage that says the same', brandmessage({ text: 'sale today' }), []],
  [
    'a brandmessage that says something else',
    brandmessage({ msgType: 'FI', text: 'gone', attachment: { button: [go] } }),
    ['61033', '63016', '63027'],
  ],
  ['a free brandmessage', brandmessage({ sendType: 'free', text: 'gone' }), []],
  ['an SMS', { channel: 'sms', from: '021', text: `maapfile://${OTHER}` } as Step, []],
] as const) {
  test(`a network says ${codes.join(', ') || 'nothing'} of ${what}`, () => {
    const objections = objectionsTo(step, found);
    assert.deepEqual(
      objections.map(({ reportCode }) => reportCode),
      codes,
    );
    if (detail) assert.match(objections[0]?.detail ?? '', detail);
  });
}

test('most messages need no look-up', () => {
  for (const step of [rcs({ formatId: 'SS000000' }), { channel: 'sms', from: '021', text: 'a' } as Step]) {
    assert.deepEqual(questionsOf(step), { templates: [], files: [] });
  }
});

test('a difference from a template is not certain: its messenger may have approved something else', () => {
  const objections = objectionsTo(alimtalk('PLAIN'), found);
  assert.deepEqual(objections.filter(isCertain), []);
  assert.equal(objections.length, 1);
});

test('without a look-up only typing errors, wrong content and impossible file names are certain', () => {
  const names = (step: Step) => certainObjections(step).map(({ name }) => name);
  assert.deepEqual(names(rcs({ formatId: 'TPL2' })), []);
  assert.deepEqual(names(rcs({ formatId: 'CMwMhM0700' })), ['unknownFormat']);
  assert.deepEqual(names(rcs({ formatId: 'TPL2', contentKind: 'standalone' })), ['contentKind']);
  assert.deepEqual(names(alimtalk('PLAIN')), []);
  assert.deepEqual(names(mms(OTHER)), []);
  assert.deepEqual(names(mms('photo.jpg')), ['unknownFile']);
});

for (const [given, meant] of [
  ['SS00000', 'SS000000'],
  ['ss000000', 'SS000000'],
  ['SS0000000', 'SS000000'],
  [' SL000000', 'SL000000'],
  ['CMwMhM0700', 'CMwMhM0600'],
  ['CMwMhM0100', 'CMwMhM0200'],
  ['OMHITV001', 'OMHITV0001'],
  ['TPL1', undefined],
  ['', undefined],
] as const) {
  test(`${JSON.stringify(given)} ${meant ? `probably means ${meant}` : 'resembles no format'}`, () => {
    assert.equal(nearestFormat(given), meant);
  });
}

import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../request/problem.ts';
import { parseRegistryEntry, REGISTRY_KIND_WORDS, registryEntryView, registryKey } from './registry.ts';

type Members = Readonly<Record<string, unknown>>;

/** An entry of each kind with every field, and its key. */
const FULL: Readonly<Record<string, { readonly entry: Members; readonly key: string }>> = {
  sender: { entry: { number: '0212345678' }, key: '0212345678' },
  senderProfile: { entry: { senderKey: '1a2b', name: 'Shop' }, key: '1a2b' },
  alimtalkTemplate: {
    entry: {
      senderKey: '1a2b',
      templateCode: 'welcome',
      text: '#{name}님',
      title: '#{name}',
      header: 'head',
      buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example' }],
    },
    key: '1a2b/welcome',
  },
  brandmessageTemplate: {
    entry: {
      senderKey: '1a2b',
      templateCode: 'sale',
      msgType: 'FI',
      text: '#{name}님',
      buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example' }],
    },
    key: '1a2b/sale',
  },
  rcsBrand: {
    entry: { brandKey: 'BR.1', brandId: 'id', name: '가게', senders: ['0212345678'] },
    key: 'BR.1',
  },
  logo: {
    entry: { profile: 'BR.1', image: `data:image/png;base64,iVBORw0KGgo${'A'.repeat(40)}==` },
    key: 'BR.1',
  },
  rcsTemplate: { entry: { formatId: 'TPL1', templateKind: 'free', brandKey: 'BR.1' }, key: 'TPL1' },
  internationalSenderId: { entry: { senderId: 'MyShop', prefixes: ['+1', '+4420'] }, key: 'MyShop' },
  internationalSignature: { entry: { text: '[My Shop/가게]', prefixes: ['+86'] }, key: '[My Shop/가게]' },
  inboundNumber: {
    entry: { number: '15881234', keyword: '이벤트', reply: 'Thank you' },
    key: '15881234/이벤트',
  },
};

test('there is a row here for each kind', () => {
  assert.deepEqual(Object.keys(FULL), REGISTRY_KIND_WORDS);
});

for (const [kind, { entry, key }] of Object.entries(FULL)) {
  test(`reads a ${kind} with all of its fields, and knows its key`, () => {
    const parsed = parseRegistryEntry({ kind, ...entry });
    assert.ok(!(parsed instanceof Problem));
    assert.deepEqual(parsed, { kind, ...entry });
    assert.equal(registryKey(parsed), key);
    assert.deepEqual(registryEntryView(parsed), { kind, key, ...entry });
    assert.deepEqual(parseRegistryEntry(registryEntryView(parsed)), parsed);
  });

  test(`refuses a ${kind} with a field it does not have, or under another key`, () => {
    assert.match(refusal({ kind, ...entry, colour: 'red' }), /^"colour" is not a field of /);
    assert.match(refusal({ kind, ...entry, key: `${key}x` }), /^"key" must be /);
    assert.equal(refusal({ kind, ...entry, key: 5 }), '"key" must be a string');
  });
}

test('takes the fields of a key from the key', () => {
  assert.deepEqual(parseRegistryEntry({ kind: 'sender', key: '021234' }), {
    kind: 'sender',
    number: '021234',
  });
  assert.deepEqual(parseRegistryEntry({ kind: 'alimtalkTemplate', key: '1a2b/welcome', text: 'hi' }), {
    kind: 'alimtalkTemplate',
    senderKey: '1a2b',
    templateCode: 'welcome',
    text: 'hi',
  });
});

const WRONG: readonly (readonly [what: string, input: unknown, says: string | RegExp])[] = [
  ['nothing', undefined, 'An entry must be a JSON object'],
  ['a list', [], 'An entry must be a JSON object'],
  ['no kind', {}, /^"kind" must be one of sender, senderProfile, /],
  ['an unknown kind', { kind: 'toString' }, /^"kind" must be one of /],
  [
    'letters in a number',
    { kind: 'sender', number: '02-1234' },
    '"number" must be a sender number of 3 to 15 digits',
  ],
  ['no number', { kind: 'sender' }, '"number" is required'],
  ['a number that is none', { kind: 'sender', number: 212345678 }, '"number" must be a string'],
  [
    'a blank in a key',
    { kind: 'senderProfile', senderKey: 'a b' },
    /^"senderKey" must be 1 to 100 characters without/,
  ],
  [
    'a slash in a key',
    { kind: 'senderProfile', senderKey: 'a/b' },
    /^"senderKey" must be 1 to 100 characters without/,
  ],
  ['half a key', { kind: 'alimtalkTemplate', key: 'welcome', text: 'hi' }, '"senderKey" is required'],
  ['a template without a text', { kind: 'alimtalkTemplate', key: '1a2b/welcome' }, '"text" is required'],
  [
    'a template that is too long',
    { kind: 'alimtalkTemplate', key: '1a2b/welcome', text: `#{a}${'가'.repeat(1000)}` },
    '"text" is longer than 1000 characters (was 1004)',
  ],
  [
    'a template with a bad button',
    { kind: 'alimtalkTemplate', key: '1a2b/welcome', text: 'hi', buttons: [{ type: 'WL', name: 'x' }] },
    '"buttons[0]" of type WL needs "urlMobile"',
  ],
  [
    'a template of no kind',
    { kind: 'rcsTemplate', formatId: 'T', templateKind: 'big' },
    '"templateKind" must be "free", "description", "cell" or "image"',
  ],
  [
    'a brand with a wrong sender',
    { kind: 'rcsBrand', brandKey: 'BR', senders: ['x'] },
    '"senders[0]" must be a sender number of 3 to 15 digits',
  ],
  [
    'digits as text sender id',
    { kind: 'internationalSenderId', senderId: '12345', prefixes: ['+1'] },
    /^"senderId" /,
  ],
  [
    'a short text sender id',
    { kind: 'internationalSenderId', senderId: 'ab', prefixes: ['+1'] },
    /^"senderId" /,
  ],
  [
    'a long text sender id',
    { kind: 'internationalSenderId', senderId: 'a'.repeat(12), prefixes: ['+1'] },
    /^"senderId" /,
  ],
  [
    'no countries',
    { kind: 'internationalSenderId', senderId: 'MyShop', prefixes: [] },
    '"prefixes" is required',
  ],
  [
    'a country without plus',
    { kind: 'internationalSenderId', senderId: 'MyShop', prefixes: ['+1', '44'] },
    '"prefixes[1]" must be a prefix of international numbers, such as +1 or +4420',
  ],
  [
    'a signature of two lines',
    { kind: 'internationalSignature', text: 'a\nb', prefixes: '+1' },
    '"text" must be one line of 1 to 100 characters',
  ],
];

for (const [what, input, says] of WRONG) {
  test(`names field and rule for ${what}`, () => {
    if (typeof says === 'string') assert.equal(refusal(input), says);
    else assert.match(refusal(input), says);
  });
}

function refusal(input: unknown): string {
  const problem = parseRegistryEntry(input);
  assert.ok(problem instanceof Problem, JSON.stringify(problem));
  return problem.result;
}

test('a logo is an image that a page may show, and not a large one', () => {
  const png = 'data:image/png;base64,iVBORw0KGgo';
  const images: readonly (readonly [image: unknown, isTaken: boolean])[] = [
    [`${png}AAAA`, true],
    ['data:image/jpeg;base64,/9j/AAAA', true],
    [`${png}${'A'.repeat(40_000)}`, false],
    ['data:image/png;base64,AAAA', false],
    [`data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`, false],
    [`${png}"onload="x`, false],
    ['https://shop.example/logo.png', false],
    [5, false],
  ];
  for (const [image, isTaken] of images) {
    const entry = parseRegistryEntry({ kind: 'logo', profile: 'p1', image });
    assert.equal(!(entry instanceof Problem), isTaken, String(image).slice(0, 60));
  }
});

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Channel } from '../channels/channel.ts';
import { CHANNEL_TABLE } from '../channels/channel-table.ts';
import { Problem } from '../request/problem.ts';
import { registeredOf } from './registered.ts';
import { parseRegistryEntry, type RegistryEntry, registryKey } from './registry.ts';
import { registryProblem, wantedEntries } from './registry-rules.ts';

type Body = Readonly<Record<string, unknown>>;

/** A message of each channel that the registry below permits. */
const BODIES: Readonly<Record<Channel, Body>> = {
  sms: { from: '021', to: '01012345678', text: 'hi' },
  mms: { from: '021', to: '01012345678', text: 'hi' },
  international: { from: '021', to: '+14155550123', text: 'hi' },
  rcs: {
    from: '021',
    to: '01012345678',
    formatId: 'SS000000',
    brandKey: 'BR.1',
    content: { standalone: { text: 'hi' } },
  },
  alimtalk: { senderKey: 'p1', msgType: 'AT', to: '01012345678', templateCode: 'T1', text: 'Kim님, hi' },
  friendtalk: { senderKey: 'p1', msgType: 'FT', to: '01012345678', text: 'hi' },
  brandmessage: { senderKey: 'p1', sendType: 'free', msgType: 'FT', to: '01012345678', text: 'hi' },
};

const REGISTRY = [
  { kind: 'sender', number: '021' },
  { kind: 'senderProfile', senderKey: 'p1' },
  { kind: 'senderProfile', senderKey: 'p2' },
  { kind: 'alimtalkTemplate', senderKey: 'p1', templateCode: 'T1', text: '#{name}님, hi' },
  {
    kind: 'alimtalkTemplate',
    senderKey: 'p1',
    templateCode: 'T2',
    text: 'hi',
    title: 'No. #{no}',
    header: 'Order',
    buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example/#{id}' }],
  },
  {
    kind: 'brandmessageTemplate',
    senderKey: 'p1',
    templateCode: 'B1',
    msgType: 'FI',
    text: 'hi #{name}',
    buttons: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example/#{id}' }],
  },
  { kind: 'brandmessageTemplate', senderKey: 'p1', templateCode: 'B2' },
  { kind: 'brandmessageTemplate', senderKey: 'p1', templateCode: 'B3', state: 'review' },
  { kind: 'rcsBrand', brandKey: 'BR.1', brandId: 'brand-1' },
  { kind: 'rcsBrand', brandKey: 'BR.2', senders: ['022'] },
  { kind: 'rcsTemplate', formatId: 'FREE1', templateKind: 'free' },
  { kind: 'rcsTemplate', formatId: 'DESC1', templateKind: 'description', brandKey: 'BR.1' },
  { kind: 'rcsTemplate', formatId: 'CELL1', templateKind: 'cell' },
  { kind: 'rcsTemplate', formatId: 'IMAGE1', templateKind: 'image' },
  { kind: 'rcsTemplate', formatId: 'WHOLE1', templateKind: 'free', text: 'Nothing to fill in' },
  { kind: 'rcsTemplate', formatId: 'OPEN1', templateKind: 'free', text: 'Hello {{title1}} {{name}}' },
  { kind: 'internationalSenderId', senderId: 'MyShop', prefixes: ['+44', '+1'] },
  { kind: 'internationalSignature', text: '[Shop]', prefixes: ['+86'] },
  { kind: 'internationalSignature', text: '[Store]', prefixes: ['+861', '+7'] },
].map(entry => parseRegistryEntry(entry) as RegistryEntry);

const T2 = {
  templateCode: 'T2',
  text: 'hi',
  title: 'No. 5',
  header: 'Order',
  button: [{ type: 'WL', name: 'open', urlMobile: 'https://shop.example/17' }],
};
const template = (title: string | undefined, description: string) => ({ template: { title, description } });

/** In the expert style, with as many buttons. */
const expert = (formatId: string, body: Body, buttons = 0) => {
  const action = { displayText: 'Open', urlAction: { openUrl: { url: 'https://shop.example' } } };
  const suggestions = Array.from({ length: buttons }, () => ({ action }));
  return { formatId, content: undefined, body, buttons: [{ suggestions }] };
};

/** Channel, what differs from the plain send, the code of the refusal, what it says. */
type Row = readonly [channel: Channel, changes: Body, code?: string, says?: string];
const ROWS: readonly Row[] = [
  ['sms', {}],
  ['sms', { from: '022' }, 'A327', '"from" must be a registered sender number (was 022)'],
  ['mms', {}],
  ['mms', { from: '022' }, 'A327'],
  ['international', {}],
  ['international', { from: '022' }, 'A327'],
  ['international', { from: 'MyShop' }],
  ['international', { from: 'MyShop', to: '+447700900123' }],
  [
    'international',
    { from: 'MyShop', to: '+33123456789' },
    'A302',
    '"from" must be a text sender id registered for the destination (was MyShop)',
  ],
  [
    'international',
    { from: 'myshop' },
    'A302',
    '"from" must be a sender number, or a registered text sender id (was myshop)',
  ],
  ['international', { to: '+8613012345678', text: '[Shop] hi' }],
  ['international', { to: '+8613012345678', text: '[Store] hi' }],
  [
    'international',
    { to: '+8613012345678' },
    'A303',
    '"text" must begin with the registered signature "[Shop]" or "[Store]"',
  ],
  ['international', { to: '+8523012345678' }],
  ['international', { to: '+79161234567', text: ' [Store] hi' }, 'A303'],
  ['rcs', {}],
  ['rcs', { from: '022' }, 'A327'],
  ['rcs', { brandKey: 'BR.9' }, 'A420', '"brandKey" must be a registered brand (was BR.9)'],
  ['rcs', { brandId: 'brand-1' }],
  ['rcs', { brandId: 'brand-2' }, 'A419'],
  ['rcs', { brandKey: 'BR.2', from: '022' }],
  [
    'rcs',
    { brandKey: 'BR.2', from: '021' },
    'A327',
    '"from" must be a registered sender of the brand (was 021)',
  ],
  ['rcs', { formatId: 'NONE', content: template(undefined, 'hi') }, 'A404'],
  ['rcs', { formatId: 'FREE1', content: template(undefined, 'a'.repeat(90)) }],
  ['rcs', { formatId: 'FREE1', content: template('', 'hi') }],
  [
    'rcs',
    { formatId: 'FREE1', content: template(undefined, 'a'.repeat(91)) },
    'A415',
    '"content.template.description" is longer than 90 characters (was 91)',
  ],
  [
    'rcs',
    { formatId: 'FREE1', content: template('title', 'hi') },
    'A415',
    '"content.template.title" is not allowed in free',
  ],
  [
    'rcs',
    { formatId: 'FREE1', content: { template: {} } },
    'A415',
    '"content.template" has no values for the template FREE1',
  ],
  ['rcs', { formatId: 'FREE1', content: { template: { a: '' } } }, 'A415'],
  ['rcs', { formatId: 'FREE1', content: { template: { media: 'maapfile://a', a: 'b' } } }, 'A415'],
  ['rcs', expert('FREE1', {}), 'A415', '"body" has no values for the template FREE1'],
  ['rcs', expert('FREE1', { description1: 'hi' }), 'A415'],
  ['rcs', expert('FREE1', { description: 'hi' }, 1)],
  ['rcs', expert('FREE1', { description: 'hi' }, 2), 'A406'],
  ['rcs', expert('CELL1', { cellTitle1: 'a', cellLeft1: 'b', cellRight1: 'c' }, 2)],
  ['rcs', expert('CELL1', { Title: '123456789' }), 'A415'],
  ['rcs', { formatId: 'WHOLE1', content: { template: {} } }],
  ['rcs', { formatId: 'OPEN1', content: { template: {} } }, 'A415'],
  ['rcs', { formatId: 'OPEN1', content: { template: { title1: '' } } }, 'A415'],
  ['rcs', { formatId: 'OPEN1', content: { template: { title1: '', name: 'Kim' } } }],
  [
    'rcs',
    { formatId: 'OPEN1', content: { template: { name: 'Kim' } } },
    'A415',
    '"content.template" has no value for {{title1}} of the template OPEN1',
  ],
  [
    'rcs',
    expert('OPEN1', { title1: 'Kim' }),
    'A415',
    '"body" has no value for {{name}} of the template OPEN1',
  ],
  ['rcs', expert('OPEN1', { description: 'all of it' }, 1)],
  ['rcs', expert('IMAGE1', { title: 'a' }), 'A415', '"body.media" is required in image'],
  ['rcs', expert('IMAGE1', { media: 'word' }), 'A415'],
  ['rcs', expert('IMAGE1', { media: 'maapfile://a', title: 'x'.repeat(30), subDesc3: 'x'.repeat(33) })],
  ['rcs', expert('IMAGE1', { media: 'maapfile://a', subDesc1: 'x'.repeat(34) }), 'A415'],
  ['rcs', expert('IMAGE1', { media: 'maapfile://a', subTitle4: 'a' }), 'A424'],
  ...['FREE1', 'DESC1', 'CELL1', 'IMAGE1'].flatMap((formatId): Row[] => [
    [
      'rcs',
      { formatId, content: { standalone: { text: 'hi', media: 'maapfile://a' } } },
      'A415',
      `"content" must hold "template" for ${formatId} (was "standalone")`,
    ],
    ['rcs', { formatId, content: { carousel: [{ text: 'hi', media: 'maapfile://a' }] } }, 'A415'],
  ]),
  ['rcs', { formatId: 'DESC1', content: template('12345678', 'hi') }],
  ['rcs', { formatId: 'DESC1', content: template('123456789', 'hi') }, 'A415'],
  ['rcs', { formatId: 'DESC1', brandKey: 'BR.2', from: '022', content: template('t', 'hi') }, 'A404'],
  ['rcs', { fallback: { type: 'SMS', text: 'hi' } }],
  ['rcs', { fallback: { type: 'SMS', from: '029', text: 'hi' } }, 'A327'],
  ['alimtalk', {}],
  ['alimtalk', { senderKey: 'p9' }, 'A502', '"senderKey" must be a registered sender profile (was p9)'],
  [
    'alimtalk',
    { templateCode: 'T9' },
    'A505',
    '"templateCode" must be a registered template of the sender profile (was T9)',
  ],
  ['alimtalk', { senderKey: 'p2' }, 'A505'],
  ['alimtalk', { text: 'Kim, hi' }, 'A505', '"text" differs from the registered template T1'],
  ['alimtalk', { title: 'not approved' }, 'A505', '"title" differs from the registered template T1'],
  ['alimtalk', { header: 'not approved' }, 'A505'],
  ['alimtalk', { button: [{ type: 'WL', name: 'x', urlMobile: 'https://evil.example' }] }, 'A505'],
  ['alimtalk', { supplement: { quickReply: [{ type: 'BK', name: 'x' }] } }, 'A505'],
  ['alimtalk', { msgType: 'AI' }],
  ['alimtalk', T2],
  ['alimtalk', { ...T2, title: 'Nr. 5' }, 'A505', '"title" differs from the registered template T2'],
  ['alimtalk', { ...T2, header: undefined }, 'A505', '"header" differs from the registered template T2'],
  [
    'alimtalk',
    { ...T2, button: undefined },
    'A505',
    '"attachment.button" differs from the registered template T2',
  ],
  ['alimtalk', { ...T2, button: [{ ...T2.button[0], name: 'close' }] }, 'A505'],
  ['alimtalk', { ...T2, button: [{ ...T2.button[0], urlMobile: 'https://evil.example' }] }, 'A505'],
  ['alimtalk', { ...T2, button: [...T2.button, ...T2.button] }, 'A505'],
  ['alimtalk', { fallback: { type: 'SMS', from: '029', text: 'hi' } }, 'A327'],
  ['friendtalk', {}],
  ['friendtalk', { senderKey: 'p9' }, 'A502'],
  ['brandmessage', {}],
  ['brandmessage', { senderKey: 'p9' }, 'A502'],
  ['friendtalk', { msgType: 'FI' }, 'A513', '"attachment.image" is required for msgType FI'],
  ['brandmessage', { msgType: 'FW' }, 'A513'],
  ['brandmessage', { sendType: 'basic', templateCode: 'B1', msgType: 'FI', text: undefined }],
  ['brandmessage', { sendType: 'template', templateCode: 'B1', msgType: 'FI', text: 'hi you' }],
  [
    'brandmessage',
    { sendType: 'basic', templateCode: 'B9' },
    'A505',
    '"templateCode" must be a registered template of the sender profile (was B9)',
  ],
  [
    'brandmessage',
    { sendType: 'basic', templateCode: 'B3' },
    'A505',
    '"templateCode" must be an approved template (B3 is in the state review)',
  ],
  [
    'brandmessage',
    { sendType: 'basic', templateCode: 'B1' },
    'A505',
    '"msgType" differs from the registered template B1',
  ],
  ['brandmessage', { sendType: 'basic', templateCode: 'B1', msgType: 'FI', text: 'buy' }, 'A505'],
  [
    'brandmessage',
    { sendType: 'basic', templateCode: 'B1', msgType: 'FI', text: undefined, button: T2.button },
  ],
  [
    'brandmessage',
    {
      sendType: 'basic',
      templateCode: 'B1',
      msgType: 'FI',
      text: undefined,
      button: [{ ...T2.button[0], urlMobile: 'https://evil.example' }],
    },
    'A505',
    '"attachment.button" differs from the registered template B1',
  ],
  ['brandmessage', { sendType: 'basic', templateCode: 'B2', button: T2.button }, 'A505'],
  ['brandmessage', { sendType: 'basic', templateCode: 'B2' }],
];

for (const [channel, changes, code, says] of ROWS) {
  test(`${code ? `refuses with ${code}` : 'lets pass'}: ${channel} ${JSON.stringify(changes).slice(0, 150)}`, () => {
    const problem = check(channel, changes, true);
    assert.equal(problem?.code, code, problem?.result);
    if (says !== undefined) assert.equal(problem?.result, says);
  });
}

test('without enforcement only text sender ids and the limits of registered templates are looked at', () => {
  const always = ['A302', 'A406', 'A415', 'A417', 'A424', 'A427'];
  for (const [channel, changes, code] of ROWS) {
    const expected = code !== undefined && always.includes(code) ? code : undefined;
    assert.equal(check(channel, changes, false)?.code, expected, `${channel} ${JSON.stringify(changes)}`);
  }
});

/** Checks as a send does: with what the check said it wants, and nothing else. */
function check(channel: Channel, changes: Body, isEnforced: boolean): Problem | undefined {
  const send = CHANNEL_TABLE[channel].request.readSingle({ ...BODIES[channel], ...changes });
  assert.ok(!(send instanceof Problem), JSON.stringify(send));
  const wanted = send.flow.flatMap(step => wantedEntries(step, isEnforced));
  const found = REGISTRY.filter(entry =>
    wanted.some(({ kind, key }) => kind === entry.kind && (key ?? registryKey(entry)) === registryKey(entry)),
  );
  for (const step of send.flow) {
    const problem = registryProblem(step, send.to, registeredOf(found), isEnforced, 'final');
    if (problem) return problem;
  }
  return undefined;
}

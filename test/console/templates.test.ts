import assert from 'node:assert/strict';
import test from 'node:test';
import { requestOf } from '../../console/src/compose/draft.ts';
import { foundWords, withWord } from '../../console/src/compose/found-words.ts';
import { newTemplateAddress, templateAddress } from '../../console/src/templates/address.ts';
import {
  alimtalkOf,
  brandOf,
  channelOf,
  entryOf,
  fieldsOf,
  keyOf,
  kindOf,
  pathInMessage,
  rcsOf,
} from '../../console/src/templates/template-entry.ts';
import { parseRegistryEntry, registryEntryView } from '../../src/domain/registry/registry.ts';
import {
  TEMPLATE_KINDS as KINDS_OF_THE_GATEWAY,
  TEMPLATE_KINDS,
} from '../../src/domain/registry/template.ts';
import { Problem } from '../../src/domain/request/problem.ts';

const TEMPLATE = {
  kind: 'alimtalkTemplate',
  key: 'shop/T1',
  senderKey: 'shop',
  templateCode: 'T1',
  text: 'Dear #{name},\nyour parcel #{number} has left.',
  title: 'Left',
  header: 'Delivery',
  msgType: 'AT',
  item: {
    list: [
      { title: 'Order', description: '#{number}' },
      { title: 'By', description: 'truck' },
    ],
    summary: { title: 'Total', description: '1' },
  },
  itemHighlight: { title: 'a', description: 'b' },
  buttons: [{ type: 'WL', name: 'Track', urlMobile: 'https://example.com/#{number}' }],
  quickReplies: [{ type: 'BK', name: 'Yes' }],
} as const;

const STORED = { state: 'draft', variables: [], revision: 1, changedAt: null } as const;

test('a template becomes a message and comes back with all of its parts', () => {
  const entry = entryOf({ ...TEMPLATE, ...STORED });
  const { kind, key, senderKey, templateCode, ...content } = TEMPLATE;
  assert.deepEqual(fieldsOf('alimtalkTemplate', entry), content);
  assert.equal(keyOf('alimtalkTemplate', entry), key);
  const parsed = parseRegistryEntry({ kind, key, ...fieldsOf('alimtalkTemplate', entry) });
  assert.ok(!(parsed instanceof Problem));
  assert.deepEqual(registryEntryView(parsed), TEMPLATE);
  const issued = {
    kind: 'rcsTemplate',
    key: 'R1',
    formatId: 'R1',
    templateKind: 'cell',
    text: '{{a}}',
  } as const;
  assert.deepEqual(fieldsOf('rcsTemplate', entryOf({ ...issued, ...STORED })), {
    templateKind: 'cell',
    text: '{{a}}',
  });
});

test('a template of brandmessage comes back with its parts, and its message leaves the content to it', () => {
  const brand = {
    kind: 'brandmessageTemplate',
    key: 'shop/B1',
    ...{ senderKey: 'shop', templateCode: 'B1' },
    ...{ msgType: 'FI', text: '#{day} sale', buttons: [{ type: 'AC', name: 'Add' }] },
  } as const;
  const { kind, key, senderKey, templateCode, ...content } = brand;
  const entry = entryOf({ ...brand, ...STORED });
  assert.deepEqual(fieldsOf(kind, entry), content);
  assert.equal(keyOf(kind, entry), key);
  const parsed = parseRegistryEntry({ kind, key, ...fieldsOf(kind, entry) });
  assert.ok(!(parsed instanceof Problem));
  assert.deepEqual(registryEntryView(parsed), brand);
  const step = {
    sendType: 'free',
    targeting: 'M',
    adFlag: 'Y',
    text: 'old',
    messageVariable: { day: 'Monday' },
  };
  assert.deepEqual(brandOf(brand, step), {
    ...{ senderKey, templateCode, sendType: 'basic', msgType: 'FI', targeting: 'M', adFlag: 'Y' },
    messageVariable: { day: 'Monday' },
  });
  for (const known of TEMPLATE_KINDS) assert.equal(kindOf(channelOf(known)), known);
});

test('the console has the kinds of templates that the gateway has', () => {
  assert.deepEqual([...TEMPLATE_KINDS], [...KINDS_OF_THE_GATEWAY]);
});

test('a message of an RCS template keeps its sender and the values that it has', () => {
  const step = {
    from: '021',
    formatId: 'SS000000',
    content: { template: { a: 'x', old: 'y' } },
    footer: '080',
  };
  assert.deepEqual(rcsOf({ formatId: 'R1', brandKey: 'b' }, ['a', 'c'], step), {
    from: '021',
    brandKey: 'b',
    formatId: 'R1',
    footer: '080',
    content: { template: { a: 'x', c: '' } },
  });
});

test('a field that the gateway names is found where the editor shows it', () => {
  for (const [named, shown] of [
    ['text', 'text'],
    ['buttons[0].urlMobile', 'attachment.button.0.urlMobile'],
    ['item.list[1].title', 'attachment.item.list.1.title'],
    ['itemHighlight.title', 'attachment.itemHighlight.title'],
    ['quickReplies', 'supplement.quickReply'],
  ] as const) {
    assert.equal(pathInMessage(named), shown);
  }
});

test('the composer finds every placeholder once, and sends no empty word', () => {
  const step = { id: 0, channel: 'alimtalk', entry: alimtalkOf(TEMPLATE) } as const;
  assert.deepEqual(foundWords({ steps: [step] }), ['name', 'number']);
  assert.deepEqual(foundWords({ steps: [] }), []);
  const words = withWord(withWord([], 'name', 'Kim'), 'number', '42');
  assert.deepEqual(withWord(words, 'name', 'Lee'), [
    { name: 'name', value: 'Lee' },
    { name: 'number', value: '42' },
  ]);
  const emptied = withWord(withWord(words, 'name', ''), 'number', '');
  const draft = { steps: [step], to: '01012345678', ref: '', words: emptied };
  assert.equal(requestOf(draft).kind, 'alimtalk');
});

test('addresses keep slashes and blanks of keys', () => {
  assert.equal(
    templateAddress('my shop', 'alimtalkTemplate', 'a b/ü?'),
    '/templates/alimtalkTemplate/a%20b%2F%C3%BC%3F?account=my+shop',
  );
  assert.equal(
    newTemplateAddress('shop', 'rcsTemplate', 'R1'),
    '/templates/new?account=shop&kind=rcsTemplate&like=R1',
  );
});

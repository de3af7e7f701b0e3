import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { changedEntry } from '../../console/src/compose/change-channel.ts';
import { draftOf, isDraftable, requestOf } from '../../console/src/compose/draft.ts';
import { withValue } from '../../console/src/compose/entry.ts';
import { feedbackOf } from '../../console/src/compose/field-feedback.ts';
import { forgetDraft, keepDraft, keptDraft } from '../../console/src/compose/kept-drafts.ts';
import { previewOf } from '../../console/src/compose/preview.ts';
import { fateOf } from '../../console/src/message/step-fates.ts';
import { en } from '../../console/src/words/en.ts';
import { CHANNEL_TABLE } from '../../src/domain/channels/channel-table.ts';
import { RCS_FORMATS } from '../../src/domain/channels/rcs/formats.ts';
import type { Flow } from '../../src/domain/delivery/flow.ts';
import type { MsgKey } from '../../src/domain/ids.ts';
import { equivalentRequest } from '../../src/domain/request/equivalent-request.ts';
import { compileFlow, parseOmni } from '../../src/domain/request/omni.ts';
import { Problem } from '../../src/domain/request/problem.ts';
import type { SendKind } from '../../src/domain/request/send-kinds.ts';
import { SEND_EXAMPLES } from '../../src/http/contract/send-examples.ts';

const SMS = { id: 0, channel: 'sms', entry: { from: '0212345678', text: 'hello' } } as const;
const RCS = {
  id: 1,
  channel: 'rcs',
  entry: { from: '0212345678', formatId: 'SS000000', content: { standalone: { text: 'Hi #{name}' } } },
} as const;

test('a value is set deep inside and leaves the rest as it was', () => {
  const entry = { text: 'x', attachment: { button: [{ name: 'a' }, { name: 'b' }] } };
  assert.deepEqual(withValue(entry, 'attachment.button.1.name', 'c'), {
    text: 'x',
    attachment: { button: [{ name: 'a' }, { name: 'c' }] },
  });
  assert.deepEqual(entry.attachment.button[1], { name: 'b' });
});

test('a value that is emptied takes the objects with it that held nothing else', () => {
  const entry = { text: 'x', attachment: { image: { imgUrl: 'y' } } };
  assert.deepEqual(withValue(entry, 'attachment.image.imgUrl', ''), { text: 'x' });
});

test('one step is a single send, several are a flow, and words need a flow', () => {
  const draft = { steps: [SMS], to: '01012345678', ref: '', words: [] };
  assert.deepEqual(requestOf(draft), { kind: 'sms', body: { ...SMS.entry, to: '01012345678' } });
  assert.equal(requestOf({ ...draft, steps: [RCS, SMS] }).kind, 'omni');
  assert.deepEqual(requestOf({ ...draft, words: [{ name: 'name', value: 'Kim' }] }), {
    kind: 'omni',
    body: {
      messageFlow: [{ sms: SMS.entry }],
      destinations: [{ to: '01012345678', replaceWords: { name: 'Kim' } }],
    },
  });
});

test('a request becomes the draft that makes it', () => {
  const draft = {
    steps: [RCS, SMS],
    to: '01012345678',
    ref: 'mine',
    words: [{ name: 'name', value: 'Kim' }],
  };
  const { kind, body } = requestOf(draft);
  assert.deepEqual(requestOf(draftOf(kind, body)), { kind, body });
});

test('the fallback of a single send is its second step, with the sender of the first', () => {
  const body = { ...RCS.entry, to: '01012345678', fallback: { type: 'SMS', text: 'short' } };
  assert.deepEqual(
    draftOf('rcs', body).steps.map(({ channel, entry }) => [channel, entry]),
    [
      ['rcs', RCS.entry],
      ['sms', { from: '0212345678', text: 'short' }],
    ],
  );
});

test('the preview fills placeholders and puts RCS content into the form of the carriers', () => {
  const words = [{ name: 'name', value: 'Kim' }];
  const [step] = previewOf(requestOf({ steps: [RCS], to: '01012345678', ref: '', words }));
  assert.ok(step?.channel === 'rcs');
  assert.equal(step.body?.description, 'Hi Kim');
});

test('a problem is told at the field that it names, in the step that it names', () => {
  const result = '"messageFlow[1].rcs.content.carousel[0].text" is too long';
  const feedback = feedbackOf({
    problem: { code: 'A415', result },
    warnings: [],
    steps: [
      { channel: 'sms', measures: [] },
      {
        channel: 'rcs',
        measures: [{ name: 'characters', field: 'description1', value: 3, limit: null }],
      },
    ],
  });
  assert.equal(feedback.problemAt(1, 'content.carousel.0.text'), result);
  assert.equal(feedback.problemAt(0, 'content.carousel.0.text'), undefined);
  assert.equal(feedback.measuresAt(1, 'content.carousel.0.text')[0]?.value, 3);
  assert.equal(feedback.isOk, false);
});

/** What the gateway keeps of a request. */
function storedOf(kind: SendKind, body: unknown) {
  if (kind !== 'omni') {
    const read = CHANNEL_TABLE[kind].request.readSingle(body);
    assert.ok(!(read instanceof Problem), `${read instanceof Problem && read.result}`);
    return { to: read.to, ref: read.ref, flow: read.flow as Flow, words: undefined, paymentCode: undefined };
  }
  const omni = parseOmni(body);
  assert.ok(!(omni instanceof Problem) && 'entries' in omni.source);
  const compiled = compileFlow(omni.source.entries);
  const [destination] = omni.destinations;
  assert.ok(!(compiled instanceof Problem) && destination && 'words' in destination);
  const { to, words } = destination;
  const { ref, paymentCode } = omni;
  return { to, ref, paymentCode, flow: compiled.flow, words: compiled.isTemplate ? { ...words } : undefined };
}

/** A message that was sent, opened in the composer and sent again is the same message. */
function assertSame(kind: SendKind, body: unknown): void {
  const stored = storedOf(kind, body);
  const { path, body: kept } = equivalentRequest({ ...stored, msgKey: 'x'.repeat(32) as MsgKey });
  const again = requestOf(draftOf(path.split('/').at(-1) ?? '', kept));
  assert.ok(isDraftable(again));
  assert.deepEqual(storedOf(again.kind, again.body), stored);
}

for (const [kind, examples] of Object.entries(SEND_EXAMPLES)) {
  for (const [name, body] of Object.entries(examples)) {
    test(`compose one like it: ${kind}, ${name}`, () => assertSame(kind as SendKind, body));
  }
}

const RCS_BUTTONS = [
  { type: 'URL', name: 'web', url: 'https://example.com' },
  {
    type: 'MAP_LOC',
    name: 'map',
    label: 'here',
    latitude: '37.5',
    longitude: '127',
    fallbackUrl: 'https://a.kr',
  },
  { type: 'MAP_QRY', name: 'find', query: 'cafe', fallbackUrl: 'https://a.kr' },
  { type: 'MAP_SEND', name: 'where' },
  {
    type: 'CALENDAR',
    name: 'note',
    startTime: '2026-03-02T09:30:00+09:00',
    endTime: '2026-03-02T10:30:00+09:00',
    title: 'visit',
    description: 'bring it',
  },
  { type: 'COPY', name: 'copy', text: 'CODE' },
  { type: 'COM_T', name: 'write', phoneNumber: '0212345678', text: 'hi' },
  { type: 'COM_V', name: 'record', phoneNumber: '0212345678' },
  { type: 'DIAL', name: 'call', phoneNumber: '0212345678' },
];

const RCS_HEAD = { from: '0212345678', to: '01012345678', brandKey: 'BR.1' };

for (const format of RCS_FORMATS) {
  test(`compose one like it: RCS ${format.id} opens in the fields of its format`, () => {
    const cards = Array.from({ length: format.cards }, (_, index) => ({
      ...(format.textMax > 0 && { text: `text ${index}` }),
      ...(format.titleMax > 0 && { title: `title ${index}` }),
      ...(format.image !== 'none' && { media: 'maapfile://abc', mediaUrl: 'https://a.kr' }),
      // Not the last card: one without buttons stays one.
      ...(index < Math.max(1, format.cards - 1) && { button: [RCS_BUTTONS[index % 9]] }),
    }));
    const subContent = Array.from({ length: format.subInfoMax }, (_, index) => ({
      subTitle: `sub ${index}`,
      subDesc: 'more',
      subMedia: 'maapfile://sub',
    }));
    const content =
      format.kind === 'carousel'
        ? { carousel: cards }
        : { standalone: { ...cards[0], ...(subContent.length > 0 && { subContent }) } };
    const body = { ...RCS_HEAD, formatId: format.id, header: '1', footer: '080-1', content };
    assertSame('rcs', body);
    const { path, body: kept } = equivalentRequest({
      ...storedOf('rcs', body),
      msgKey: 'x'.repeat(32) as MsgKey,
    });
    const [step] = draftOf(path.split('/').at(-1) ?? '', kept).steps;
    assert.deepEqual(step?.entry.content, content);
  });
}

for (const button of RCS_BUTTONS) {
  test(`compose one like it: an RCS button of type ${button.type}`, () => {
    const content = { standalone: { text: 'hi', button: [button] } };
    const body = { ...RCS_HEAD, formatId: 'SS000000', content };
    assertSame('rcs', body);
    const kept = { ...RCS_HEAD, ...storedOf('rcs', body).flow[0] };
    assert.deepEqual(draftOf('rcs', kept).steps[0]?.entry.content, content);
  });
}

test('compose one like it: an issued RCS template', () => {
  assertSame('rcs', { ...RCS_HEAD, formatId: 'UBR.1', content: { template: { name: 'Kim', empty: '' } } });
});

const EXPERT: Readonly<Record<string, object>> = {
  'a key of its own': { formatId: 'SS000000', body: { description: 'hi', extra: { a: 1 } } },
  'a button without postback': {
    formatId: 'SS000000',
    body: { description: 'hi' },
    buttons: [
      { suggestions: [{ action: { displayText: 'a', urlAction: { openUrl: { url: 'https://a.kr' } } } }] },
    ],
  },
  'a template with buttons': {
    formatId: 'UBR.1',
    body: { name: 'Kim' },
    buttons: [{ suggestions: [{ action: { displayText: 'a' } }] }],
  },
  'a second detail without a first': {
    formatId: 'OMTBNV0001',
    body: { description: 'hi', media: 'maapfile://a', subTitle2: 'x' },
  },
};

for (const [name, message] of Object.entries(EXPERT)) {
  test(`compose one like it: RCS with ${name} stays in the form of the carriers`, () => {
    assertSame('rcs', { ...RCS_HEAD, ...message });
    const kept = { ...RCS_HEAD, ...storedOf('rcs', { ...RCS_HEAD, ...message }).flow[0] };
    const entry = draftOf('rcs', kept).steps[0]?.entry;
    assert.equal(entry?.content, undefined);
    assert.ok(entry?.body);
  });
}

const MESSENGER = { senderKey: 'p1', to: '01012345678', ref: 'mine' };
const WL = { type: 'WL', name: 'open', urlMobile: 'https://a.kr', urlPc: 'https://a.kr' };
const IMAGE = { imgUrl: 'https://a.kr/a.jpg', imgLink: 'https://a.kr' };
const GOODS = { title: 'lamp', regularPrice: 1000, discountPrice: 900, discountRate: 10 };
const COUPON = { title: '10% 할인', description: 'this week', urlMobile: 'https://a.kr' };
const FEED = { header: 'a', message: 'b', attachment: { image: IMAGE, button: [WL], coupon: COUPON } };
const SALE = { additionalContent: 'c', attachment: { image: IMAGE, button: [WL], commerce: GOODS } };
const ITEM = { title: 'a', imgUrl: 'https://a.kr/a.jpg', urlMobile: 'https://a.kr' };

const TALKS: readonly object[] = [
  { msgType: 'FT', text: 'hi', attachment: { button: [WL], coupon: COUPON }, adFlag: 'N' },
  { msgType: 'FI', text: 'hi', attachment: { image: IMAGE } },
  { msgType: 'FW', text: 'hi', attachment: { image: IMAGE }, adult: 'Y', pushAlarm: 'N', groupTagKey: 'g' },
  { msgType: 'FL', header: 'h', attachment: { item: { list: [ITEM, ITEM, ITEM] } } },
  { msgType: 'FC', carousel: { list: [FEED, FEED], tail: { urlMobile: 'https://a.kr' } } },
  { msgType: 'FM', attachment: { image: IMAGE, commerce: GOODS }, additionalContent: 'x' },
  {
    msgType: 'FA',
    carousel: { head: { header: 'a', content: 'b', imageUrl: 'https://a.kr' }, list: [SALE, SALE] },
  },
  {
    msgType: 'FP',
    text: 'hi',
    attachment: { video: { videoUrl: 'https://a.kr', thumbnailUrl: 'https://a.kr' } },
  },
];

for (const channel of ['friendtalk', 'brandmessage'] as const) {
  for (const talk of TALKS) {
    test(`compose one like it: ${channel} ${'msgType' in talk && talk.msgType}`, () => {
      const own = channel === 'brandmessage' && { sendType: 'free', unsubscribePhoneNumber: '080-1' };
      assertSame(channel, { ...MESSENGER, ...own, ...talk });
    });
  }
}

test('compose one like it: an alimtalk with everything', () => {
  const rows = [
    { title: 'a', description: 'b' },
    { title: 'c', description: 'd' },
  ];
  assertSame('alimtalk', {
    ...MESSENGER,
    msgType: 'AI',
    templateCode: 't',
    text: 'hi',
    title: 'big',
    header: 'head',
    price: '1000',
    currencyType: 'KRW',
    link: { urlMobile: 'https://a.kr' },
    attachment: {
      button: [WL],
      item: { list: rows, summary: rows[0] },
      itemHighlight: { title: 'x', description: 'y' },
    },
    supplement: { quickReply: [{ type: 'WL', name: 'r', urlMobile: 'https://a.kr' }] },
  });
});

test('compose one like it: what only a flow can say stays a flow', () => {
  const to = '01012345678';
  const flow = (entry: object) => ({ destinations: [{ to }], messageFlow: [entry] });
  assertSame('omni', flow({ sms: { from: '021', text: 'hi', ttl: '60' } }));
  assertSame('omni', { ...flow({ sms: { from: '021', text: 'hi' } }), paymentCode: 'sales', ref: 'r' });
  assertSame(
    'omni',
    flow({ rcs: { from: '021', formatId: 'SS000000', content: { standalone: { text: 'hi' } } } }),
  );
});

test('the form does not open a request of which it would lose a part', () => {
  const messageFlow = [{ sms: { from: '021', text: 'hi' } }];
  const one = { to: '01012345678' };
  const cases: readonly (readonly [object, boolean])[] = [
    [{ messageFlow, destinations: [one] }, true],
    [{ messageFlow, destinations: [one, one] }, false],
    [{ messageForm: 'f', destinations: [one] }, false],
    [{ messageFlow: [...messageFlow, { fax: {} }], destinations: [one] }, false],
  ];
  for (const [body, isOpen] of cases) {
    assert.equal(isDraftable({ kind: 'omni', body: { ...body } }), isOpen, JSON.stringify(body));
  }
});

function tab(full = false) {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (name: string) => items.get(name) ?? null,
    setItem(name: string, value: string) {
      if (full) throw new Error('no room');
      items.set(name, value);
    },
  };
}

const kept = (to: string) => ({
  draft: { steps: [SMS], to, ref: '', words: [] },
  mode: 'form' as const,
  json: '',
  account: 'shop',
});
const place = (id: string, more: object = {}) => ({
  ...{ id, who: 'kim', isOpen: true, continues: undefined },
  ...more,
});
const found = (storage: ReturnType<typeof tab>, id: string, isNew: boolean, who = 'kim') =>
  keptDraft(storage, { id, who, isNew })?.draft.to;

test('a place of the history finds its own draft, and a new place the last one that is open', () => {
  const storage = tab();
  keepDraft(storage, place('a'), kept('1'));
  keepDraft(storage, place('b', { isOpen: false }), kept('2'));
  assert.equal(found(storage, 'a', false), '1');
  assert.equal(found(storage, 'b', false), '2');
  assert.equal(found(storage, 'new', true), '1');
  assert.equal(found(storage, 'new', false), undefined, 'one like another message begins with that');
  assert.equal(found(storage, 'new', true, 'lee'), undefined, 'another operator does not get it');
  assert.equal(found(storage, 'a', false, 'lee'), undefined);

  keepDraft(storage, place('c', { continues: 'a', isOpen: false }), kept('3'));
  assert.equal(found(storage, 'new', true), undefined, 'what was continued and sent is not offered again');
  assert.equal(found(storage, 'a', false), '1', 'but Back finds it');
  forgetDraft(storage, 'a');
  assert.equal(found(storage, 'a', false), undefined);
});

test('few drafts are kept, none that is huge, and none where there is no room', () => {
  const storage = tab();
  for (const id of ['1', '2', '3', '4', '5', '6']) keepDraft(storage, place(id), kept(id));
  assert.equal(found(storage, '1', false), undefined);
  assert.equal(found(storage, '6', false), '6');
  keepDraft(storage, place('7'), { ...kept('7'), json: 'x'.repeat(300_000) });
  assert.equal(found(storage, '7', false), undefined);
  keepDraft(tab(true), place('8'), kept('8'));
});

test('what the tab kept in another form is not used', () => {
  for (const bad of ['{', '3', '[3]', '[{"id":"a","who":"kim","mode":"form","draft":{"steps":[]}}]']) {
    const storage = tab();
    storage.items.set('bongsu.drafts', bad);
    assert.equal(found(storage, 'a', true), undefined, bad);
  }
});

test('a text stays when it becomes another kind of text message, unless it is the example', () => {
  const fresh = (channel: string) => ({ text: `new ${channel}` });
  const entry = { from: '021', text: 'mine', ttl: '60' };
  const step = { id: 0, channel: 'sms', entry } as const;
  assert.deepEqual(changedEntry(step, 'mms', fresh), { from: '021', text: 'mine' });
  assert.deepEqual(changedEntry(step, 'rcs', fresh), { text: 'new rcs' });
  assert.deepEqual(changedEntry({ ...step, entry: fresh('sms') }, 'mms', fresh), { text: 'new mms' });
});

test('the page about the sandbox says of the numbers what the console says', () => {
  const page = readFileSync(new URL('../../docs/sandbox.md', import.meta.url), 'utf8');
  for (const [digits, words] of Object.entries(en.outcomes)) {
    if (digits === 'delivered') continue;
    const row = new RegExp(`^\\| ${digits} \\| (.*?) \\|`, 'm').exec(page)?.[1];
    assert.ok(row?.startsWith(words.replace(`${digits} · `, '')), `${words}: ${row}`);
  }
});

const FATES: readonly (readonly [
  state: string,
  step: number,
  events: string,
  fates: string,
  whole?: string,
])[] = [
  ['queued', 0, '', 'waiting waiting'],
  ['retrying', 0, '0deferred', 'waiting waiting'],
  ['submitted', 0, '0accepted', 'onTheWay waiting'],
  ['unknown', 0, '0lost', 'doubtful waiting'],
  ['delivered', 0, '0accepted 0receivedDelivered', 'received unsent'],
  ['failed', 1, '0refused 1accepted 1receivedFailed', 'failed failed'],
  ['delivered', 1, '0refused 1accepted 1receivedDelivered', 'failed received'],
  ['submitted', 1, '0accepted 0deadline 1accepted', 'doubtful onTheWay'],
  ['expired', 1, '0accepted 0deadline 1deadline', 'doubtful failed'],
  ['delivered', 1, '0accepted 0deadline 1receivedDelivered 0lateDelivery', 'received received'],
  ['failed', 1, '0latePart 0deadline 1refused', 'doubtful failed', 'unsure'],
  ['failed', 0, '0accepted 0receivedFailed', 'doubtful unsent', 'unsure'],
  ['failed', 0, '0eventOfANewerGateway', 'doubtful unsent', 'unsure'],
];

for (const [state, step, events, fates, whole = 'open'] of FATES) {
  test(`a flow that is ${state} at ${step} after ${events || 'nothing'} is ${fates} on the phones`, () => {
    const timeline = events
      .split(' ')
      .filter(Boolean)
      .map(event => ({ at: '', step: Number(event[0]), event: event.slice(1) }));
    const message = { state: state as 'queued', step, timeline, fate: whole as 'open' };
    assert.equal([0, 1].map(index => fateOf(message, index)).join(' '), fates);
  });
}

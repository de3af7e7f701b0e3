/** Files of messages: uploaded once for each content, channel and kind, under the name that the message needs. */
import assert from 'node:assert/strict';
import test from 'node:test';
import type { ReadFile } from '../../../src/carriers/http/media-uploads.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { omniScene, submission, submitOne } from './omni-under-test.ts';

const [A, B] = ['A'.repeat(32), 'B'.repeat(32)];
const OURS = 'https://gateway.example/files';

const readFile: ReadFile = async (_account, key) => ({
  bytes: Buffer.from(`bytes of ${key}`),
  name: `${'long '.repeat(20)}.jpg`,
  contentType: 'image/jpeg',
  contentHash: `hash-of-${key}`,
});

const messages = {
  mms: { channel: 'mms', from: '0212345678', text: 'a', fileKey: [A, B] },
  rcs: {
    channel: 'rcs',
    from: '02',
    formatId: 'SMwThT00',
    brandKey: 'B',
    body: { media: `maapfile://${A}` },
    buttons: [],
  },
  friendtalk: {
    channel: 'friendtalk',
    senderKey: 'p',
    msgType: 'FI',
    text: 'a',
    attachment: { image: { imgUrl: `${OURS}/${A}` } },
  },
  wide: {
    channel: 'brandmessage',
    senderKey: 'p',
    sendType: 'free',
    msgType: 'FW',
    text: 'a',
    attachment: { image: { imgUrl: `${OURS}/${A}` } },
  },
  list: {
    channel: 'friendtalk',
    senderKey: 'p',
    msgType: 'FL',
    header: 'h',
    attachment: { item: { list: [{ imgUrl: `${OURS}/${A}` }, { imgUrl: `${OURS}/${B}` }] } },
  },
  link: {
    channel: 'alimtalk',
    senderKey: 'p',
    msgType: 'AT',
    templateCode: 'T',
    text: 'a',
    link: { urlMobile: `${OURS}/${A}` },
  },
} as const;

test('each channel and kind has its path and the key of its answer', async t => {
  const { service, carrier } = await omniScene(t, {}, readFile);
  const uploads = () => service.provider.requests.filter(({ path }) => path.startsWith('/v1/file/'));
  const sent = async (name: keyof typeof messages) => {
    const before = uploads().length;
    assert.equal((await submitOne(carrier, submission(messages[name] as unknown as Step))).kind, 'accepted');
    const paths = uploads()
      .slice(before)
      .map(({ path }) => path.slice('/v1/file/'.length));
    return { paths, body: service.taken.at(-1)?.body };
  };
  const mms = await sent('mms');
  assert.deepEqual(
    [mms.paths, mms.body?.fileKey],
    [
      ['MMS', 'MMS'],
      ['file-1', 'file-2'],
    ],
  );
  const [upload] = uploads();
  assert.match(upload?.headers['content-type'] ?? '', /^multipart\/form-data; boundary=/);
  assert.match(upload?.body ?? '', /name="file"; filename="[\w-]{1,40}\.jpg".*bytes of AAAA/s);
  assert.deepEqual((await sent('mms')).paths, [], 'once');

  const rcs = await sent('rcs');
  assert.deepEqual([rcs.paths, rcs.body?.body], [['RCS'], { media: 'maapfile://file-3' }]);
  const friendtalk = await sent('friendtalk');
  assert.deepEqual(
    [friendtalk.paths, friendtalk.body?.imgUrl],
    [['FRIENDTALK/FI'], 'https://img.example/file-4'],
  );
  const wide = await sent('wide');
  assert.deepEqual([wide.paths, wide.body?.imgUrl], [['BRANDMESSAGE/wide'], 'https://img.example/file-5']);
  assert.deepEqual((await sent('list')).paths, ['FRIENDTALK/FL/first', 'FRIENDTALK/FL']);
  const link = await sent('link');
  assert.deepEqual([link.paths, link.body?.link], [[], messages.link.link], 'an address in a text stays');
});

test('a file is uploaded again before it expires there, and when they have lost it', async t => {
  const { service, carrier, clock } = await omniScene(t, { idleInterval: '1d' }, readFile);
  service.aheadSeconds = 3600;
  const send = () => submitOne(carrier, submission(messages.mms as unknown as Step));
  await send();
  assert.equal(service.files, 2);
  clock.advance(20 * 3_600_000);
  await send();
  assert.equal(service.files, 2);
  clock.advance(3 * 3_600_000);
  await send();
  assert.equal(service.files, 4, 'after nine tenths of its day');

  service.fault = ({ path }, response) => {
    if (path !== '/v1/send/mms') return false;
    service.answer(response, 400, { code: 'A217', result: 'Invalid fileKey' });
    return true;
  };
  assert.deepEqual(await send(), {
    ...{ kind: 'temporary', reportCode: '22000', detail: 'A217 Invalid fileKey' },
  });
  service.fault = () => false;
  assert.equal((await send()).kind, 'accepted');
  assert.equal(service.files, 6);
});

test('a refused file fails the message with the words of the service; a failed upload is the fault of the service', async t => {
  const { service, carrier, host } = await omniScene(t, {}, readFile);
  const send = () => submitOne(carrier, submission(messages.mms as unknown as Step));
  const answerWith = (status: number, code: string) => {
    service.fault = ({ path }, response) => {
      if (!path.startsWith('/v1/file/')) return false;
      service.answer(response, status, { code, result: 'File is too big' });
      return true;
    };
  };
  answerWith(400, 'A200');
  assert.deepEqual(await send(), {
    kind: 'permanent',
    reportCode: '23016',
    detail: 'A200 File is too big',
    isUnasked: true,
  });
  for (const [status, code] of [
    [503, 'A920'],
    [500, 'A215'],
  ] as const) {
    answerWith(status, code);
    const answer = await send();
    assert.ok(answer.kind === 'temporary' && answer.isCarriersFault, code);
    assert.equal(answer.isThrottled, undefined);
  }
  answerWith(429, 'A020');
  const throttled = await send();
  assert.ok(throttled.kind === 'temporary' && throttled.isCarriersFault && throttled.isThrottled);
  assert.ok(host.notices.includes('uploadFailed'));
  assert.equal(service.taken.length, 0);
  service.fault = () => false;
  assert.equal((await send()).kind, 'accepted', 'the failure is not remembered');
});

/** Files go to the provider before the message, once for each content and channel. */
import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import type { MediaFile } from '../../../src/carriers/http/media-uploads.ts';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { basicKeys, carrierOf, type Keys, makeCarrier, submission, submitOne } from './carrier-under-test.ts';
import { json, type ProviderRequest, startProvider } from './provider-server.ts';

const KEY_A = 'A'.repeat(32);
const KEY_B = 'B'.repeat(32);
const SAME_AS_A = 'C'.repeat(32);

const IMAGE: MediaFile = {
  bytes: Buffer.from([0xff, 0xd8, 0xff, 0x00, 0x0d, 0x0a]),
  name: 'picture "1".jpg',
  contentType: 'image/jpeg',
  contentHash: 'hash-a',
};
const FILES: Readonly<Record<string, MediaFile>> = {
  [KEY_A]: IMAGE,
  [KEY_B]: { ...IMAGE, bytes: Buffer.from('b'), name: 'b.jpg', contentHash: 'hash-b' },
  [SAME_AS_A]: IMAGE,
};

async function withMedia(t: TestContext, media: Keys, keys: Keys = {}, isStoreAway = () => false) {
  let uploads = 0;
  const reads: string[] = [];
  const provider = await startProvider(t, (request, response) => {
    if (request.path.startsWith('/files')) return json(response, 201, { file: { id: `f${++uploads}` } });
    return json(response, 200, { id: 'm1' });
  });
  const made = await makeCarrier(
    t,
    {
      ...basicKeys(provider.url),
      submit: { url: `${provider.url}/messages`, json: { files: '{{media?}}', message: '{{message}}' } },
      channels: { mms: {}, rcs: {}, friendtalk: {} },
      media: { url: `${provider.url}/files/{{channel}}`, id: '/file/id', lifetime: '1h', ...media },
      ...keys,
    },
    {
      async readFile(account, key) {
        if (isStoreAway()) throw new Error('away');
        if (account !== 'shop') return undefined;
        reads.push(key);
        return FILES[key];
      },
    },
  );
  return { ...made, provider, reads };
}

const MULTIPART = { multipart: { usage: 'send {{channel}}', upload: '{{file}}' } };

const mms = (...fileKey: string[]) => submission({ channel: 'mms', fileKey } as Partial<Step>);

function sentBody(request: ProviderRequest | undefined) {
  return JSON.parse(request?.body ?? '');
}

test('uploads the files of a message as a form, then sends it with their ids', async t => {
  const { carrier, provider } = await withMedia(t, MULTIPART);
  assert.equal((await submitOne(carrier, mms(KEY_A, KEY_B))).kind, 'accepted');
  const [first] = provider.at('/files/mms');
  const type = first?.headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(first?.bytes ?? []), {
    headers: { 'content-type': type },
  }).formData();
  const part = form.get('upload') as File;
  assert.deepEqual([form.get('usage'), part.name, part.type], ['send mms', IMAGE.name, 'image/jpeg']);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), IMAGE.bytes);
  const { files, message } = sentBody(provider.at('/messages')[0]);
  assert.deepEqual(
    [files, message.fileKey],
    [
      ['f1', 'f2'],
      ['f1', 'f2'],
    ],
  );
});

test('uploads a file as base64 within JSON', async t => {
  const body = { name: '{{file.name}}', data: '{{file.base64}}', size: '{{file.size}}' };
  const { carrier, provider } = await withMedia(t, { json: body });
  await submitOne(carrier, mms(KEY_B));
  assert.deepEqual(sentBody(provider.at('/files/mms')[0]), { name: 'b.jpg', data: 'Yg==', size: 1 });
});

test('one content is uploaded once, also by messages at the same time, until the provider forgets it', async t => {
  const { carrier, provider, reads, clock } = await withMedia(t, MULTIPART);
  await Promise.all(carrier.submit([mms(KEY_A), mms(SAME_AS_A), mms(KEY_A)]));
  assert.equal(provider.at('/files/mms').length, 1);
  const readsBefore = reads.length;
  clock.advance(3_599_000);
  clock.setWallBy(3_600_000);
  await submitOne(carrier, mms(KEY_A));
  assert.deepEqual([provider.at('/files/mms').length, reads.length], [1, readsBefore], 'not even read again');
  clock.setWallBy(-7_200_000);
  clock.advance(1_000);
  await submitOne(carrier, mms(KEY_A));
  assert.equal(provider.at('/files/mms').length, 2, 'whatever the wall clock did');
});

test("references within a message become the provider's, for each channel anew", async t => {
  const { carrier, provider } = await withMedia(t, { ...MULTIPART, reference: 'maapfile://{{id}}' });
  const body = { title: 'hello', media: `maapfile://${KEY_A}`, other: 'maapfile://not-ours' };
  await submitOne(carrier, submission({ channel: 'rcs', body, buttons: [] } as Partial<Step>));
  const [rcs, talk] = [
    () => sentBody(provider.at('/messages')[0]),
    () => sentBody(provider.at('/messages')[1]),
  ];
  assert.deepEqual(rcs().message.body, { ...body, media: 'maapfile://f1' });
  const image = { imgUrl: `https://gateway.example/files/${KEY_A}`, imgLink: 'https://shop.example' };
  await submitOne(carrier, submission({ channel: 'friendtalk', attachment: { image } } as Partial<Step>));
  assert.equal(talk().message.attachment.image.imgUrl, 'maapfile://f2');
  assert.deepEqual([provider.at('/files/rcs').length, provider.at('/files/friendtalk').length], [1, 1]);
});

test('a message without files has none, and nothing is uploaded', async t => {
  const { carrier, provider } = await withMedia(t, MULTIPART);
  await submitOne(carrier, submission({ channel: 'mms' } as Partial<Step>));
  assert.equal(provider.requests.length, 1);
  assert.ok(!('files' in sentBody(provider.requests[0])));
});

test('a file that is not there ends the message', async t => {
  const { carrier, provider } = await withMedia(t, MULTIPART);
  for (const key of ['D'.repeat(32), 'no key at all']) {
    assert.deepEqual(await submitOne(carrier, mms(key)), {
      kind: 'permanent',
      reportCode: '23034',
      isUnasked: true,
    });
  }
  assert.equal(provider.requests.length, 0);
});

test('an upload that fails puts the message off, and is tried again', async t => {
  const { carrier, provider, host } = await withMedia(t, MULTIPART);
  const { handle } = provider;
  const answerWith = (status: number, headers: Record<string, string> = {}) => {
    provider.handle = (_, response) => json(response, status, {}, headers);
  };
  const noId = (status: number) => `no file id in the answer with status ${status}`;
  for (const status of [400, 413, 415, 422]) {
    answerWith(status);
    assert.deepEqual(await submitOne(carrier, mms(KEY_A)), {
      ...{ kind: 'temporary', reportCode: '22000', detail: noId(status) },
    });
  }
  const trouble = { kind: 'temporary', reportCode: '22000', isCarriersFault: true };
  for (const status of [200, 302, 401, 402, 403, 404, 408, 425, 500, 503]) {
    answerWith(status);
    assert.deepEqual(await submitOne(carrier, mms(KEY_A)), { ...trouble, detail: noId(status) });
  }
  answerWith(429);
  assert.deepEqual(await submitOne(carrier, mms(KEY_A)), {
    ...trouble,
    detail: noId(429),
    isThrottled: true,
  });
  answerWith(503, { 'retry-after': '120' });
  const asked = { detail: noId(503), retryAfterMs: 120_000 };
  assert.deepEqual(await submitOne(carrier, mms(KEY_A)), { ...trouble, ...asked });
  assert.ok(host.notices.every(notice => notice === 'uploadFailed'));
  provider.handle = handle;
  assert.equal((await submitOne(carrier, mms(KEY_A))).kind, 'accepted');
});

test('an upload that several messages wait for is one fault of the provider when it fails', async t => {
  const { carrier, provider } = await withMedia(t, MULTIPART);
  provider.handle = (_, response) => json(response, 500, {});
  const answers = await Promise.all(carrier.submit([mms(KEY_A), mms(KEY_A), mms(SAME_AS_A)]));
  assert.equal(provider.requests.length, 1);
  const faults = answers.filter(answer => answer.kind === 'temporary' && answer.isCarriersFault);
  assert.equal(faults.length, 3, 'no message loses an attempt');
  assert.equal(faults.filter(answer => !('isToldBefore' in answer)).length, 1);
});

test('while our own store does not give a file, the message waits, and the provider is not blamed', async t => {
  let isAway = true;
  const { carrier, provider } = await withMedia(t, MULTIPART, {}, () => isAway);
  const answer = await submitOne(carrier, mms(KEY_A));
  assert.ok(answer.kind === 'temporary' && answer.isCarriersFault, 'no attempt is counted');
  assert.ok(answer.isToldBefore, 'nor a fault');
  assert.equal(provider.requests.length, 0);
  isAway = false;
  assert.equal((await submitOne(carrier, mms(KEY_A))).kind, 'accepted');
});

test('the request of an upload may name the time', async t => {
  const body = { data: '{{file.base64}}', at: '{{time.unix}}' };
  const { carrier, provider, clock } = await withMedia(t, { json: body });
  await submitOne(carrier, mms(KEY_B));
  assert.equal(sentBody(provider.at('/files/mms')[0]).at, Math.floor(clock.now() / 1000));
});

test('an upload has exactly one kind of body', () => {
  const keys = basicKeys('https://provider.example');
  const media = { url: 'https://provider.example/files', id: '/id' };
  assert.deepEqual(carrierOf({ ...keys, media }), [
    'carriers.acme.media: expected one of multipart, json and form',
  ]);
  assert.deepEqual(carrierOf({ ...keys, media: { ...media, multipart: { name: '{{file.name}}' } } }), [
    'carriers.acme.media.multipart: expected exactly one part that is {{file}}',
  ]);
});

import assert from 'node:assert/strict';
import test, { type TestContext } from 'node:test';
import { ADMIN_TOKEN, bearer } from '../harness/credentials.ts';
import { freshStore } from '../harness/engines.ts';
import { mms, rcs, sms } from '../harness/flows.ts';
import { type Client, testAccount, testGateway } from '../harness/gateway.ts';
import { image } from '../harness/images.ts';
import { changeRows } from './stored-rows.ts';

const KB = 1024;
const to = '01012345678';

function carousel(medias: readonly string[]) {
  const cards = medias.map(media => ({ text: 'card', media }));
  return { ...rcs({ formatId: `CMwShS0${medias.length}00`, content: { carousel: cards } }).rcs, to };
}

function standalone(media: string): object {
  return { ...rcs({ formatId: 'SMwThM00', content: { standalone: { text: 'hello', media } } }).rcs, to };
}

test('an image uploaded here must have the size of its RCS layout', async t => {
  const { client } = await testAccount(t);
  const right = await client.upload('RCS', image('png', 568, 336));
  const wrong = await client.upload('RCS', image('png', 568, 337));
  assert.equal((await client.call('POST', '/v1/send/rcs', standalone(right.media))).body.code, 'A000');
  const refused = await client.call('POST', '/v1/send/rcs', standalone(wrong.media));
  assert.deepEqual(refused.body, {
    code: 'A203',
    result: '"content.standalone.media" is 568x337, SMwThM00 needs 568x336',
  });
});

test('the images of all cards together have at most 1 MB', async t => {
  const { client } = await testAccount(t);
  const half = await client.upload('RCS', image('jpg', 360, 336, 512 * KB));
  const more = await client.upload('RCS', image('jpg', 360, 336, 512 * KB + 1));
  assert.equal(
    (await client.call('POST', '/v1/send/rcs', carousel([half.media, half.media]))).body.code,
    'A000',
  );
  const refused = await client.call('POST', '/v1/send/rcs', carousel([half.media, more.media]));
  assert.equal(refused.body.code, 'A200');
  const { to: number, ...message } = carousel([half.media, more.media]);
  const flow = await client.call('POST', '/v1/send/omni', {
    destinations: [{ to: number }],
    messageFlow: [sms(), { rcs: message }],
  });
  assert.match(flow.body.result, /^"messageFlow\[1\]\.rcs\.content\.carousel" has more than 1 MB of images/);
});

test('an unknown file key is the network’s business, unless the account is held to its registry', async t => {
  const gateway = await testGateway(t);
  const free = await gateway.account('free');
  assert.equal(
    (await free.call('POST', '/v1/send/rcs', standalone('maapfile://anything'))).body.code,
    'A000',
  );
  const body = { ...mms({ fileKey: ['anything'] }).mms, to };
  assert.equal((await free.call('POST', '/v1/send/mms', body)).body.code, 'A000');

  const held = await gateway.account('held', { enforceRegistry: true });
  const registry = '/admin/v1/accounts/held/registry/sender/0212345678';
  const headers = bearer(ADMIN_TOKEN);
  const put = await gateway.request('PUT', registry, { headers, body: {} });
  assert.equal(put.body.code, 'A000', put.text);
  const refused = await held.call('POST', '/v1/send/mms', body);
  assert.equal(refused.body.code, 'A217', refused.text);
  const own = await held.upload('MMS', image('jpg', 640, 480));
  const sent = await held.call('POST', '/v1/send/mms', { ...body, fileKey: [own.fileKey] });
  assert.equal(sent.body.code, 'A000', sent.text);
  const foreign = await free.upload('MMS', image('jpg', 640, 480));
  const stolen = await held.call('POST', '/v1/send/mms', { ...body, fileKey: [foreign.fileKey] });
  assert.equal(stolen.body.code, 'A217', "another account's file");
  gateway.clock.advance(91 * 86_400_000);
  const token = await gateway.token('held');
  const late = await gateway.request('POST', '/v1/send/mms', {
    headers: bearer(token),
    body: { ...body, fileKey: [own.fileKey] },
  });
  assert.equal(late.body.code, 'A217', 'an expired file');
});

test('an image named by a replacement word or needed by a reservation is not deleted before it is sent', async t => {
  const { gateway, client } = await testAccount(t);
  const { operator } = gateway;
  const whyKept = async ({ fileKey }: { fileKey: string }) =>
    (await operator('DELETE', `/files/${fileKey}`)).body;
  const layout = () => client.upload('RCS', image('png', 568, 336));
  const [worded, partlyWorded, reserved, reservedByWords, partlyReserved, free] = [
    await layout(),
    await layout(),
    await layout(),
    await layout(),
    await layout(),
    await layout(),
  ];
  const flow = (media: string) => [
    rcs({ formatId: 'SMwThM00', content: { standalone: { text: 'hello', media } } }),
  ];
  const words = ({ media }: { media: string }) => ({
    destinations: [{ to, replaceWords: { photo: media } }],
  });
  /** The beginning of the reference is in the flow, the rest is a word. */
  const inHalves = ({ media }: { media: string }) => ({
    destinations: [{ to, replaceWords: { rest: media.slice(20) } }],
    messageFlow: flow(`${media.slice(0, 20)}#{rest}`),
  });
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  await operator('POST', '/carriers/simulator/pause');
  const sends = [
    { ...words(worded), messageFlow: flow('#{photo}') },
    { ...words(free), messageFlow: flow(reserved.media), resvSendTime },
    { ...words(reservedByWords), messageFlow: flow('#{photo}'), resvSendTime },
    inHalves(partlyWorded),
    { ...inHalves(partlyReserved), resvSendTime },
  ];
  const keys: string[] = [];
  for (const body of sends) {
    const answer = await client.call('POST', '/v1/send/omni', body);
    assert.equal(answer.body.data?.destinations[0]?.code, 'A000', answer.text);
    keys.push(answer.body.data.resvKey ?? answer.body.data.destinations[0].msgKey);
  }
  assert.match((await whyKept(worded)).result, new RegExp(`Message ${keys[0]} is pending and needs this`));
  assert.match((await whyKept(reserved)).result, new RegExp(`Reservation ${keys[1]} may need this file`));
  assert.match(
    (await whyKept(reservedByWords)).result,
    new RegExp(`Reservation ${keys[2]} may need this file`),
  );
  assert.match((await whyKept(partlyWorded)).result, new RegExp(`Message ${keys[3]} is pending`));
  assert.match((await whyKept(partlyReserved)).result, new RegExp(`Reservation ${keys[4]} may need`));
  for (const resvKey of [keys[1], keys[2], keys[4]])
    await operator('POST', `/reservations/${resvKey}/cancel`);
  for (const file of [reserved, reservedByWords, partlyReserved])
    assert.equal((await whyKept(file)).code, 'A000');
});

test('an image that a message or a list may need that cannot be read is not deleted', async t => {
  const env = await freshStore(t);
  const { gateway, client } = await testAccount(t, { env });
  const { operator } = gateway;
  await operator('POST', '/carriers/simulator/pause');
  const named = await client.upload('RCS', image('png', 568, 336));
  const body = {
    destinations: [{ to, replaceWords: { photo: named.media } }],
    messageFlow: [
      rcs({ formatId: 'SMwThM00', content: { standalone: { text: 'hello', media: '#{photo}' } } }),
    ],
  };
  const kept = async () => (await operator('DELETE', `/files/${named.fileKey}`)).body.result;
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  const reserved = await client.call('POST', '/v1/send/omni', { ...body, resvSendTime });
  assert.equal(reserved.body.code, 'A000', reserved.text);
  await changeRows(env, `UPDATE reservation_list SET recipients = '{' || recipients`);
  assert.match(await kept(), /^Reservation \w+ may need this file/);
  const sent = await client.call('POST', '/v1/send/omni', body);
  assert.equal(sent.body.code, 'A000', sent.text);
  await changeRows(env, `UPDATE message SET words = '{' || words`);
  assert.match(await kept(), /^Message \w+ cannot be read, and may need this file/);
});

test('under enforcement a file has the owner, the purpose and the size that its place asks for, on every channel', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  const other = await gateway.account('other');
  const free = await gateway.account('free');
  for (const entry of ['sender/0212345678', 'senderProfile/p1', 'rcsBrand/BR.brand']) {
    assert.equal((await gateway.operator('PUT', `/accounts/shop/registry/${entry}`, {})).body.code, 'A000');
  }
  const forMms = await shop.upload('MMS', image('jpg', 640, 480));
  const gif = await shop.upload('RCS', image('gif', 640, 480));
  const wide = await shop.upload('FRIENDTALK/FW', image('png', 800, 600));
  const plain = await shop.upload('FRIENDTALK/FI', image('png', 600, 600));
  const low = await shop.upload('FRIENDTALK/FL', image('png', 400, 400));
  const brandWide = await shop.upload('BRANDMESSAGE/wide', image('png', 800, 600));
  const foreign = await other.upload('FRIENDTALK/FW', image('png', 800, 600));

  const talk = { senderKey: 'p1', to, text: 'hi' };
  const free1 = { ...talk, sendType: 'free' };
  const item = { title: 't', urlMobile: 'https://shop.example' };
  const list = (...urls: string[]) => ({ item: { list: urls.map(imgUrl => ({ ...item, imgUrl })) } });
  const card = (imgUrl: string) => ({ header: 'h', message: 'm', attachment: { image: { imgUrl } } });
  const feed = (...urls: string[]) => ({
    ...talk,
    text: undefined,
    msgType: 'FC',
    carousel: { list: urls.map(card) },
  });
  const template = { senderKey: 'p1', to, sendType: 'free', msgType: 'FT', text: 'hi' };
  const rows: readonly (readonly [path: string, body: object, code: string, says?: string])[] = [
    ['mms', { ...mms({ fileKey: [forMms.fileKey] }).mms, to }, 'A000'],
    [
      'mms',
      { ...mms({ fileKey: [forMms.fileKey, gif.fileKey] }).mms, to },
      'A217',
      '"fileKey[1]" must be a file uploaded for MMS (was RCS)',
    ],
    [
      'mms',
      { ...mms({ fileKey: [plain.fileKey] }).mms, to },
      'A217',
      '"fileKey[0]" must be a file uploaded for MMS (was FRIENDTALK)',
    ],
    [
      'rcs',
      standalone(`maapfile://${forMms.fileKey}`),
      'A217',
      '"content.standalone.media" must be a file uploaded for RCS (was MMS)',
    ],
    ['friendtalk', { ...talk, msgType: 'FW', imgUrl: wide.imgUrl }, 'A000'],
    [
      'friendtalk',
      { ...talk, msgType: 'FW', imgUrl: plain.imgUrl },
      'A203',
      '"imgUrl" is 600x600, it must be 800x600',
    ],
    [
      'friendtalk',
      { ...talk, msgType: 'FW', attachment: { image: { imgUrl: foreign.imgUrl } } },
      'A217',
      `"attachment.image.imgUrl" is not a file of this account, or it has expired (was ${foreign.imgUrl})`,
    ],
    ['friendtalk', { ...talk, msgType: 'FI', imgUrl: 'https://elsewhere.example/a.png' }, 'A217'],
    ['friendtalk', { ...talk, msgType: 'FI' }, 'A513', '"attachment.image" is required for msgType FI'],
    [
      'friendtalk',
      { ...talk, msgType: 'FI', imgUrl: brandWide.imgUrl },
      'A217',
      '"imgUrl" must be a file uploaded for FRIENDTALK (was BRANDMESSAGE)',
    ],
    [
      'friendtalk',
      { ...talk, msgType: 'FL', header: 'h', attachment: list(low.imgUrl, low.imgUrl, wide.imgUrl) },
      'A203',
      '"attachment.item.list[2].imgUrl" is 800x600, height must be 400',
    ],
    ['friendtalk', feed(plain.imgUrl, plain.imgUrl), 'A000'],
    [
      'friendtalk',
      feed(plain.imgUrl, foreign.imgUrl),
      'A217',
      `"carousel.list[1].attachment.image.imgUrl" is not a file of this account, or it has expired (was ${foreign.imgUrl})`,
    ],
    ['brandmessage', { ...free1, msgType: 'FW', imgUrl: brandWide.imgUrl }, 'A000'],
    [
      'brandmessage',
      { ...free1, msgType: 'FW', imgUrl: wide.imgUrl },
      'A217',
      '"imgUrl" must be a file uploaded for BRANDMESSAGE (was FRIENDTALK)',
    ],
    [
      'brandmessage',
      { ...template, imageVariable: [{ image_url: foreign.imgUrl, image_link: 'https://shop.example' }] },
      'A217',
      `"imageVariable[0].image_url" is not a file of this account, or it has expired (was ${foreign.imgUrl})`,
    ],
  ];
  for (const [path, body, code, says] of rows) {
    const answer = await shop.call('POST', `/v1/send/${path}`, body);
    assert.equal(answer.body.code, code, `${JSON.stringify(body)} ${answer.text}`);
    if (says !== undefined) assert.equal(answer.body.result, says);
    const isAccepted = (await free.call('POST', `/v1/send/${path}`, body)).body.code;
    assert.equal(isAccepted, 'A000', 'without enforcement it is the business of the network');
  }
  // In a flow with placeholders the words decide.
  const flow = await shop.call('POST', '/v1/send/omni', {
    messageFlow: [{ friendtalk: { senderKey: 'p1', msgType: 'FW', text: 'hi', imgUrl: '#{image}' } }],
    destinations: [
      { to, replaceWords: { image: wide.imgUrl } },
      { to, replaceWords: { image: plain.imgUrl } },
    ],
  });
  const results: { code: string; result: string }[] = flow.body.data.destinations;
  assert.deepEqual(
    results.map(({ code, result }) => [code, result]),
    [
      ['A000', 'Success'],
      ['A203', '"messageFlow[0].friendtalk.imgUrl" is 600x600, it must be 800x600'],
    ],
  );
});

const OWN = 'https://msg.example.com/gateway';

/** A gateway with a name of its own, and an account held to its registry that has uploaded an image. */
async function named(t: TestContext) {
  const { gateway, client: shop } = await testAccount(t, {
    settings: { enforceRegistry: true },
    env: { BONGSU_PUBLIC_URL: `${OWN}/` },
  });
  const path = '/accounts/shop/registry/senderProfile/p1';
  assert.equal((await gateway.operator('PUT', path, {})).body.code, 'A000');
  const uploadTo = async (client: Client, place: string) =>
    (await client.upload(place, image('png', 600, 600))).imgUrl;
  return { gateway, shop, uploadTo };
}

test('an upload is named by an address of this gateway, not by the same path at another host', async t => {
  const { shop, uploadTo } = await named(t);
  const imgUrl = await uploadTo(shop, 'FRIENDTALK/FI');
  const talk = { senderKey: 'p1', to, msgType: 'FI', text: 'hi' };
  const code = async (url: string) =>
    (await shop.call('POST', '/v1/send/friendtalk', { ...talk, imgUrl: url })).body.code;
  assert.equal(await code(imgUrl), 'A000');
  for (const foreign of [
    imgUrl.replace('msg.example.com', 'evil.example'),
    imgUrl.replace('/gateway/', '/other/'),
    imgUrl.replace('msg.example.com', 'msg.example.com@evil.example'),
    `https://evil.example/?u=${imgUrl}`,
    `https://evil.example/#${imgUrl}`,
  ]) {
    assert.equal(await code(foreign), 'A217', foreign);
  }
});

test('the simulated network does not judge images of other hosts, nor links', async t => {
  const { gateway } = await named(t);
  const free = await gateway.account('free');
  const path = `/files/${'0'.repeat(32)}`;
  const gone = `${OWN}${path}`;
  const foreign = `https://shop.example${path}`;
  const talk = { senderKey: 'p1', to, text: 'hi' };
  const card = { text: 'a', button: [{ type: 'URL', name: 'x', url: gone }] };
  const rows: readonly (readonly [string, object, string])[] = [
    ['friendtalk', { ...talk, msgType: 'FI', imgUrl: gone }, '63024'],
    ['friendtalk', { ...talk, msgType: 'FI', imgUrl: foreign }, '10000'],
    ['friendtalk', { ...talk, msgType: 'FT', button: [{ type: 'WL', name: 'x', urlMobile: gone }] }, '10000'],
    ['rcs', { ...rcs({ content: { standalone: card } }).rcs, to }, '10000'],
  ];
  for (const [channel, body, reportCode] of rows) {
    const { msgKey } = (await free.call('POST', `/v1/send/${channel}`, body)).body;
    assert.equal((await free.reportsOf(msgKey))[0]?.reportCode, reportCode, JSON.stringify(body));
  }
});

test('under enforcement the still image of a video and the images in variables are own uploads', async t => {
  const { gateway, shop, uploadTo } = await named(t);
  const other = await gateway.account('other');
  const still = (thumbnailUrl: string) => ({
    ...{ senderKey: 'p1', to, msgType: 'FP', text: 'hi' },
    attachment: { video: { videoUrl: 'https://tv.example/1', thumbnailUrl } },
  });
  const filled = (variables: object) => ({
    ...{ senderKey: 'p1', to, sendType: 'free', msgType: 'FT', text: 'hi' },
    ...variables,
  });
  const ownStill = await uploadTo(shop, 'FRIENDTALK/FP');
  const own = await uploadTo(shop, 'BRANDMESSAGE/default');
  const foreign = await uploadTo(other, 'BRANDMESSAGE/default');
  const elsewhere = 'https://shop.example/a.png';
  const rows: readonly (readonly [string, object, string, string?])[] = [
    ['friendtalk', still(ownStill), 'A000'],
    ['friendtalk', still(await uploadTo(other, 'FRIENDTALK/FP')), 'A217', 'attachment.video.thumbnailUrl'],
    ['friendtalk', still(elsewhere), 'A217', 'attachment.video.thumbnailUrl'],
    ['brandmessage', filled({ videoVariable: { thumbnail_url: own } }), 'A000'],
    ['brandmessage', filled({ videoVariable: { a: foreign } }), 'A217', 'videoVariable.a'],
    ['brandmessage', filled({ commerceVariable: { a: foreign } }), 'A217', 'commerceVariable.a'],
    ['brandmessage', filled({ imageVariable: [{ imgUrl: elsewhere }] }), 'A217', 'imageVariable[0].imgUrl'],
    ['brandmessage', filled({ imageVariable: [{ imgLink: elsewhere }] }), 'A000'],
  ];
  for (const [channel, body, code, field = ''] of rows) {
    const answer = await shop.call('POST', `/v1/send/${channel}`, body);
    assert.equal(answer.body.code, code, `${JSON.stringify(body)} ${answer.text}`);
    assert.ok(answer.body.result.startsWith(field && `"${field}"`), answer.text);
  }
});

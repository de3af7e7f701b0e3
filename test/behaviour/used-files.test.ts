import assert from 'node:assert/strict';
import test from 'node:test';
import { mms, rcs } from '../harness/flows.ts';
import { type Client, testGateway } from '../harness/gateway.ts';
import { filePart, image, MULTIPART_TYPE, multipart } from '../harness/images.ts';

const KB = 1024;
const to = '01012345678';

async function upload(
  client: Client,
  service: string,
  bytes: Buffer,
): Promise<{ fileKey: string; media: string }> {
  const body = multipart(filePart(bytes));
  const answer = await client.call('POST', `/v1/file/${service}`, body, { 'content-type': MULTIPART_TYPE });
  assert.equal(answer.body.code, 'A000', answer.text);
  return answer.body.data;
}

function carousel(medias: readonly string[]): object {
  const cards = medias.map(media => ({ text: 'card', media }));
  return { ...rcs({ formatId: `CMwShS0${medias.length}00`, content: { carousel: cards } }).rcs, to };
}

function standalone(media: string): object {
  return { ...rcs({ formatId: 'SMwThM00', content: { standalone: { text: 'hello', media } } }).rcs, to };
}

test('an image uploaded here must have the size of its RCS layout', async t => {
  const client = await (await testGateway(t)).account('shop');
  const right = await upload(client, 'RCS', image('png', 568, 336));
  const wrong = await upload(client, 'RCS', image('png', 568, 337));
  assert.equal((await client.call('POST', '/v1/send/rcs', standalone(right.media))).body.code, 'A000');
  const refused = await client.call('POST', '/v1/send/rcs', standalone(wrong.media));
  assert.deepEqual(refused.body, {
    code: 'A203',
    result: '"content.standalone.media" is 568x337, SMwThM00 needs 568x336',
  });
});

test('the images of all cards together have at most 1 MB', async t => {
  const client = await (await testGateway(t)).account('shop');
  const half = await upload(client, 'RCS', image('jpg', 360, 336, 512 * KB));
  const more = await upload(client, 'RCS', image('jpg', 360, 336, 512 * KB + 1));
  assert.equal(
    (await client.call('POST', '/v1/send/rcs', carousel([half.media, half.media]))).body.code,
    'A000',
  );
  const refused = await client.call('POST', '/v1/send/rcs', carousel([half.media, more.media]));
  assert.equal(refused.body.code, 'A200');
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
  const headers = { authorization: 'Bearer admin-token-for-all-tests' };
  const put = await gateway.request('PUT', registry, { headers, body: {} });
  assert.equal(put.body.code, 'A000', put.text);
  const refused = await held.call('POST', '/v1/send/mms', body);
  assert.equal(refused.body.code, 'A217', refused.text);
  const own = await upload(held, 'MMS', image('jpg', 640, 480));
  const sent = await held.call('POST', '/v1/send/mms', { ...body, fileKey: [own.fileKey] });
  assert.equal(sent.body.code, 'A000', sent.text);
  const foreign = await upload(free, 'MMS', image('jpg', 640, 480));
  const stolen = await held.call('POST', '/v1/send/mms', { ...body, fileKey: [foreign.fileKey] });
  assert.equal(stolen.body.code, 'A217', "another account's file");
  gateway.clock.advance(91 * 86_400_000);
  const token = await gateway.token('held');
  const late = await gateway.request('POST', '/v1/send/mms', {
    headers: { authorization: `Bearer ${token}` },
    body: { ...body, fileKey: [own.fileKey] },
  });
  assert.equal(late.body.code, 'A217', 'an expired file');
});

test('an image that words name, or that a reservation needs, is not deleted before it is sent', async t => {
  const gateway = await testGateway(t);
  const client = await gateway.account('shop');
  const headers = { authorization: 'Bearer admin-token-for-all-tests' };
  const operator = (method: 'POST' | 'DELETE', path: string) =>
    gateway.request(method, `/admin/v1${path}`, { headers });
  const whyKept = async ({ fileKey }: { fileKey: string }) =>
    (await operator('DELETE', `/files/${fileKey}`)).body;
  const layout = () => upload(client, 'RCS', image('png', 568, 336));
  const [worded, reserved, reservedByWords, free] = [
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
  const resvSendTime = new Date(gateway.clock.now() + 3_600_000).toISOString();
  await operator('POST', '/carriers/simulator/pause');
  const sends = [
    { ...words(worded), messageFlow: flow('#{photo}') },
    { ...words(free), messageFlow: flow(reserved.media), resvSendTime },
    { ...words(reservedByWords), messageFlow: flow('#{photo}'), resvSendTime },
  ];
  const keys: string[] = [];
  for (const body of sends) {
    const answer = await client.call('POST', '/v1/send/omni', body);
    assert.equal(answer.body.data?.destinations[0]?.code, 'A000', answer.text);
    keys.push(answer.body.data.resvKey ?? answer.body.data.destinations[0].msgKey);
  }
  assert.match((await whyKept(worded)).result, new RegExp(`Message ${keys[0]} is on its way and needs this`));
  assert.match((await whyKept(reserved)).result, new RegExp(`Reservation ${keys[1]} may need this file`));
  assert.match(
    (await whyKept(reservedByWords)).result,
    new RegExp(`Reservation ${keys[2]} may need this file`),
  );
  for (const resvKey of keys.slice(1)) await operator('POST', `/reservations/${resvKey}/cancel`);
  for (const file of [reserved, reservedByWords]) assert.equal((await whyKept(file)).code, 'A000');
});

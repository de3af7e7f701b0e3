/**
 * A walk over every operation of the API document with the ids of another account: whoever calls with them learns and changes
 * no more than with ids that never were.
 */
import assert from 'node:assert/strict';
import test from 'node:test';
import { SEND_EXAMPLES } from '../../../src/http/contract/send-examples.ts';
import { API_OPERATIONS } from '../../../src/http/openapi/document.ts';
import type { ApiOperation, ApiParameter } from '../../../src/http/openapi/operation.ts';
import { ADMIN_TOKEN, bearer } from '../../harness/credentials.ts';
import { type Answer, Client, type TestGateway, testGateway } from '../../harness/gateway.ts';
import { image } from '../../harness/images.ts';
import { nameOf, textPlaces } from '../../openapi/text-places.ts';
import { type Belongings, createBelongings, MARK } from './belongings.ts';
import { type Call, clientCalls, type Fill, operatorCalls } from './calls.ts';
import { type Kind, NAMES_OF_OTHER_THINGS, NAMES_THAT_HOLD } from './names.ts';

type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const ACCOUNTS_OWN = API_OPERATIONS.filter(({ access }) => access === 'account');
/** What an operator does on behalf of one account. */
const FOR_AN_ACCOUNT = API_OPERATIONS.filter(
  ({ access, path }) => access === 'operator' && path.includes('{id}'),
);

/** What needs no credentials, and why. */
const FOR_EVERYONE = {
  readFile: 'whoever knows the key of an image may see it: the phones of recipients know nothing else',
  signIn: 'it is where operators prove who they are',
  acceptInvitation: 'the same, for whoever has no token yet',
  takeReceipts: 'the carrier checks the secret of its provider',
  takeReceiptsInQuery: 'the same',
  takeReceiptsOfAttempt: 'the same, by a token for each attempt',
  takeReceiptsOfAttemptInQuery: 'the same',
  takeInbound: 'the same',
  takeInboundInQuery: 'the same',
  takeOptOutCall: 'by the token of the service behind free numbers',
  takeOptOutCallInQuery: 'the same',
  checkProcess: 'for load balancers',
  checkService: 'for load balancers',
  readMetrics: 'for monitoring: counts without names of accounts',
} as const;

/**
 * Not even to their owner: nothing of ours is looked up by them; an opt-out only by operators; and the example of a
 * brandmessage is free of a template.
 */
const MAKE_NO_DIFFERENCE: readonly Kind[] = [
  'brandmessageTemplate',
  'logo',
  'inboundNumber',
  'brandId',
  'optOut',
];

test('every parameter and member is known to hold an id or to hold none', () => {
  const parameters = ACCOUNTS_OWN.flatMap(({ parameters = [] }) => parameters.map(({ name }) => name));
  const members = ACCOUNTS_OWN.flatMap(operation => textPlaces(operation).map(nameOf));
  const names = new Set([...parameters, ...members]);
  const unknown = [...names].filter(name => !NAMES_THAT_HOLD[name] && !NAMES_OF_OTHER_THINGS.has(name));
  assert.deepEqual(unknown, [], 'say in names.ts what they hold');
  const tables = [...Object.keys(NAMES_THAT_HOLD), ...NAMES_OF_OTHER_THINGS];
  assert.deepEqual(
    tables.filter(name => !names.has(name)),
    [],
    'no longer in the document',
  );
  const open = API_OPERATIONS.filter(({ access }) => access === 'everyone');
  assert.deepEqual(open.map(({ operationId }) => operationId).sort(), Object.keys(FOR_EVERYONE).sort());
});

for (const enforceRegistry of [false, true]) {
  const who = enforceRegistry ? 'held to its registry' : 'not held to its registry';
  test(`an account ${who} gets the same answers with the ids of another account as with unknown ids`, async t => {
    const gateway = await testGateway(t);
    const belongings = await createBelongings(gateway);
    const client = await gateway.account('stranger', { enforceRegistry });
    const own = await registerExamples(gateway, client);
    const before = await belongings.snapshot();
    let count = 0;
    for (const operation of ACCOUNTS_OWN) {
      for (const call of clientCalls(operation, own)) {
        const both = await callWithBoth(gateway, call, belongings, {
          ...bearer(client.token),
        });
        assertSame(both, call);
        count++;
      }
    }
    assert.ok(count > 250, `${count} calls`);
    assert.deepEqual(await belongings.snapshot(), before);
    await belongings.assertReportsAreThere();
  });
}

test('the check is effective: the owner gets other answers', async t => {
  const gateway = await testGateway(t);
  const belongings = await createBelongings(gateway);
  const owner = new Client(gateway, 'owner', await gateway.token('owner'));
  const own = await registerExamples(gateway, owner);
  await gateway.operator('PATCH', '/accounts/owner', { settings: { enforceRegistry: true } });
  const seen = new Set<Kind>();
  for (const operation of ACCOUNTS_OWN) {
    for (const call of clientCalls(operation, own)) {
      const { shapes } = await callWithBoth(gateway, call, belongings, {
        ...bearer(owner.token),
      });
      if (shapes[0] !== shapes[1] && call.kind) seen.add(call.kind);
    }
  }
  const kinds = Object.keys(belongings.things) as Kind[];
  const unseen = kinds.filter(kind => !seen.has(kind));
  assert.deepEqual(unseen, MAKE_NO_DIFFERENCE);
});

test('what an operator does for one account does not reach the things of another', async t => {
  const gateway = await testGateway(t);
  const belongings = await createBelongings(gateway);
  const client = await gateway.account('stranger');
  await registerExamples(gateway, client);
  const before = await belongings.snapshot();
  let count = 0;
  for (const operation of FOR_AN_ACCOUNT) {
    for (const call of operatorCalls(operation)) {
      assertSame(await callWithBoth(gateway, call, belongings, bearer(ADMIN_TOKEN)), call);
      count++;
    }
  }
  assert.ok(count > 100, `${count} calls`);
  assert.deepEqual(await belongings.snapshot(), before);
  await belongings.assertReportsAreThere();
});

test('nothing is done without a token, with a wrong or an old one, or with the token of the other side', async t => {
  const gateway = await testGateway(t);
  const old = (await gateway.account('early')).token;
  gateway.clock.advance(25 * 60 * 60_000);
  const belongings = await createBelongings(gateway);
  const { token } = await gateway.account('stranger');
  const before = await belongings.snapshot();
  const bearers = (other: string) => [
    ...[undefined, 'Bearer ', 'Bearer x', `Bearer ${old}`, `Bearer ${other}`, `Basic ${other}`, other],
    ...[`Bearer ${token.slice(0, -1)}`, `Bearer ${ADMIN_TOKEN}x`, 'Bearer null', 'Bearer ../../etc/passwd'],
  ];
  let count = 0;
  for (const operation of API_OPERATIONS) {
    if (operation.access !== 'account' && operation.access !== 'operator') continue;
    // Whoever is refused too often must wait.
    gateway.clock.advance(60_000);
    for (const authorization of bearers(operation.access === 'account' ? ADMIN_TOKEN : token)) {
      const [call] = clientCalls(operation, {});
      assert.ok(call);
      const headers = authorization === undefined ? {} : { authorization };
      const keyOf = (kind: Kind) => belongings.things[kind].foreign;
      const { answer } = await callWith(gateway, call, keyOf, headers);
      const what = `${call.what} with ${authorization}: ${answer.text}`;
      assert.ok([401, 403].includes(answer.status), what);
      assert.ok(['A001', 'A002'].includes(answer.body.code), what);
      assert.deepEqual(Object.keys(answer.body), ['code', 'result'], what);
      count++;
    }
  }
  assert.ok(count > 500, `${count} calls`);
  assert.deepEqual(await belongings.snapshot(), before);
});

interface Both {
  readonly foreign: Answer;
  readonly never: Answer;
  readonly shapes: readonly [foreign: string, never: string];
}

async function callWithBoth(
  gateway: TestGateway,
  call: Call,
  { things }: Belongings,
  headers: Record<string, string>,
): Promise<Both> {
  const withNever = () => callWith(gateway, call, kind => things[kind].never, headers);
  let never = await withNever();
  const foreign = await callWith(gateway, call, kind => things[kind].foreign, headers);
  // The first call may have changed things of the caller for good.
  if (never.shape !== foreign.shape) never = await withNever();
  return { foreign: foreign.answer, never: never.answer, shapes: [foreign.shape, never.shape] };
}

async function callWith(
  gateway: TestGateway,
  { operation, parameters, body }: Call,
  keyOf: (kind: Kind) => string,
  headers: Record<string, string>,
): Promise<{ readonly answer: Answer; readonly shape: string }> {
  const used: string[] = [];
  const fill: Fill = value => {
    if (typeof value === 'string') return value;
    const chosen = wordOf(value.kind, keyOf(value.kind), operation);
    used.push(chosen);
    return chosen;
  };
  const text = ({ name, example }: ApiParameter) => fill(parameters[name] ?? example);
  const declared = operation.parameters ?? [];
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(fill(parameters[name] ?? '')),
  );
  const query = declared
    .filter(each => each.in === 'query')
    .map(each => `${each.name}=${encodeURIComponent(text(each))}`);
  // None but a foreign one: with the same key again, another body is refused for that alone.
  const own = declared
    .filter(({ name, in: where }) => where === 'header' && typeof parameters[name] === 'object')
    .map(each => [each.name, text(each)]);
  const sent = body?.(fill);
  const verb = operation.method.toUpperCase() as Verb;
  const answer = await gateway.request(verb, `${path}?${query.join('&')}`, {
    headers: { ...Object.fromEntries(own), ...headers },
    ...(sent !== undefined && { body: sent as object }),
  });
  return { answer, shape: shapeOf(answer, used) };
}

/** In the path of the registry a template has its whole key; a body names it by its code. */
function wordOf(kind: Kind, key: string, { path }: ApiOperation): string {
  return kind === 'alimtalkTemplate' && !path.includes('{key}') ? (key.split('/')[1] ?? '') : key;
}

/** An answer without what may differ: the ids themselves, and what is made anew for each call. */
function shapeOf({ status, headers, text }: Answer, used: readonly string[]): string {
  const bare = used.reduce((rest, word) => rest.replaceAll(word, '<id>'), text);
  const names = Object.keys(headers).sort();
  const fresh = /\b[0-9A-Z]{20,32}\b|whsec_[\w+/=]+/g;
  return `${status} ${names} ${bare.replaceAll(fresh, '<new>')}`;
}

function assertSame({ foreign, never, shapes: [shape, shapeOfNever] }: Both, { what }: Call): void {
  assert.equal(shape, shapeOfNever, what);
  for (const { text, status } of [foreign, never]) {
    assert.ok(status < 500, `${what}: ${text}`);
    assert.ok(!text.includes(MARK), `${what}: ${text}`);
  }
}

/** Whatever the examples name belongs to this account, so that only the foreign id can be what is refused. */
async function registerExamples(
  gateway: TestGateway,
  client: Client,
): Promise<Readonly<Record<string, string>>> {
  const { alimtalk, rcs, brandmessage } = SEND_EXAMPLES;
  const { senderKey, templateCode, text } = alimtalk['template with a button'];
  const entries: readonly (readonly [kind: string, key: string, fields?: object])[] = [
    ['sender', '0212345678'],
    ['senderProfile', senderKey],
    ['alimtalkTemplate', `${senderKey}/${templateCode}`, { text }],
    ['alimtalkTemplate', `${senderKey}/${brandmessage.basic.templateCode}`, { text }],
    ['rcsBrand', rcs['expert style'].brandKey],
    // Of an import, which finds it as it is.
    ['rcsTemplate', 'TPL02', { templateKind: 'description', name: 'Welcome', text: '{{name}}, welcome' }],
  ];
  for (const [kind, key, fields = {}] of entries) {
    const path = `/accounts/${client.id}/registry/${kind}/${encodeURIComponent(key)}`;
    assert.equal((await gateway.operator('PUT', path, fields)).body.code, 'A000', `${kind} ${key}`);
  }
  for (const operationId of ['addOptOuts', 'importOptOuts']) {
    const { path = '', request } = API_OPERATIONS.find(each => each.operationId === operationId) ?? {};
    const [example] = Object.values(request?.examples ?? {}) as (string | object)[];
    assert.equal((await client.call('POST', path, example)).body.code, 'A000', operationId);
  }
  const { fileKey } = await client.upload('MMS', image('jpg', 640, 480));
  return { fileKey: [fileKey] as unknown as string };
}

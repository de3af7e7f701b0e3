import assert from 'node:assert/strict';
import test from 'node:test';
import { type Answer, type TestGateway, testAccount } from '../harness/gateway.ts';

/** The library of one account, as an operator uses it. */
function libraryOf(gateway: TestGateway, account: string, headers?: Record<string, string>) {
  const call = gateway.operator;
  const all = `/accounts/${account}/templates`;
  const one = (kind: string, key: string) => `${all}/${kind}/${encodeURIComponent(key)}`;
  return {
    list: (query = '') => call('GET', `${all}${query}`, undefined, headers),
    read: (kind: string, key: string) => call('GET', one(kind, key), undefined, headers),
    save: (kind: string, key: string, body: object) => call('PUT', one(kind, key), body, headers),
    decide: (kind: string, key: string, body: object) =>
      call('POST', `${one(kind, key)}/state`, body, headers),
    import: (templates: unknown, trial = false) =>
      call('POST', `${all}/import`, { templates, trial }, headers),
  };
}

const KIND = 'alimtalkTemplate';
const KEY = 'p1/T1';
const CONTENT = {
  name: '배송 안내',
  text: '#{이름}님,\n주문 #{주문번호}이 출발했습니다.\n\n감사합니다.',
  header: '배송',
  item: {
    list: [
      { title: '주문', description: '#{주문번호}' },
      { title: '도착', description: '#{도착일}' },
    ],
    summary: { title: '금액', description: '#{금액}원' },
  },
  buttons: [{ type: 'WL', name: '조회', urlMobile: 'https://shop.example/#{운송장}' }],
};
const MESSAGE = {
  senderKey: 'p1',
  msgType: 'AT',
  to: '01012345678',
  templateCode: 'T1',
  text: '김하늘님,\n주문 42이 출발했습니다.\n\n감사합니다.',
  header: '배송',
  attachment: {
    button: [{ type: 'WL', name: '조회', urlMobile: 'https://shop.example/7' }],
    item: {
      list: [
        { title: '주문', description: '42' },
        { title: '도착', description: '오늘' },
      ],
      summary: { title: '금액', description: '39,000원' },
    },
  },
};

test('a template goes from draft through review and rejection to approval, and only then can be sent', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  await gateway.operator('PUT', '/accounts/shop/registry/senderProfile/p1', {});
  const kim = await gateway.addOperator('kim', 'operator');
  const library = libraryOf(gateway, 'shop', kim.headers);
  const send = async () => (await shop.call('POST', '/v1/send/alimtalk', MESSAGE)).body;

  const saved = await library.save(KIND, KEY, CONTENT);
  const { state, variables, revision } = saved.body.data;
  assert.deepEqual([state, revision], ['draft', 1], saved.text);
  assert.deepEqual(variables, ['이름', '주문번호', '도착일', '금액', '운송장']);
  assert.equal(
    (await send()).result,
    '"templateCode" must be an approved template (T1 is in the state draft)',
  );

  gateway.clock.advance(60_000);
  assert.equal((await library.decide(KIND, KEY, { state: 'review', revision: 1 })).body.code, 'A000');
  assert.equal((await send()).code, 'A505');
  const unexplained = await library.decide(KIND, KEY, { state: 'rejected', reason: ' ', revision: 2 });
  assert.deepEqual(unexplained.refusal, [400, 'A300', '"reason" is required to reject a template']);
  const rejected = await library.decide(KIND, KEY, {
    state: 'rejected',
    reason: '링크 확인',
    revision: 2,
  });
  assert.equal(rejected.body.data.reason, '링크 확인');
  assert.equal((await send()).code, 'A505');
  assert.equal((await library.save(KIND, KEY, { ...CONTENT, revision: 3 })).body.data.reason, undefined);
  await library.decide(KIND, KEY, { state: 'review', revision: 4 });
  await library.decide(KIND, KEY, { state: 'approved', revision: 5 });
  assert.equal((await send()).code, 'A000');

  const { template, history, next, isEditable } = (await library.read(KIND, KEY)).body.data;
  assert.deepEqual([template.state, template.revision, isEditable], ['approved', 6, false]);
  assert.deepEqual(next, ['rejected', 'draft']);
  const steps = history.map((change: Record<string, string>) => [change.state, change.by, change.reason]);
  assert.deepEqual(steps, [
    ['approved', 'kim', null],
    ['review', 'kim', null],
    ['draft', 'kim', null],
    ['rejected', 'kim', '링크 확인'],
    ['review', 'kim', null],
    ['draft', 'kim', null],
  ]);
  assert.ok(history[0].at > history.at(-1).at);

  const { entries } = (await gateway.operator('GET', '/audit?limit=6')).body.data;
  assert.deepEqual(
    entries.map(({ action, name, details }: { action: string; name: string; details: object }) => [
      action,
      name,
      details,
    ])[3],
    ['template.state', 'kim', { kind: KIND, key: KEY, state: 'rejected', reason: '링크 확인' }],
  );

  await library.decide(KIND, KEY, { state: 'rejected', reason: 'blocked', revision: 6 });
  assert.equal((await send()).code, 'A505', 'an approval can be taken back');
});

test('a message is compared with every registered part of its template', async t => {
  const { gateway, client: shop } = await testAccount(t, { settings: { enforceRegistry: true } });
  await gateway.operator('PUT', '/accounts/shop/registry/senderProfile/p1', {});
  const quickReplies = [{ type: 'BK', name: '네' }];
  const content = { ...CONTENT, msgType: 'AT', itemHighlight: { title: '#{상품}' }, quickReplies };
  await gateway.operator('PUT', `/accounts/shop/registry/${KIND}/p1%2FT1`, content);
  const { attachment } = MESSAGE;
  const itemHighlight = { title: '조명', description: '무엇이든' };
  const supplement = { quickReply: quickReplies };
  const complete = { ...MESSAGE, attachment: { ...attachment, itemHighlight }, supplement };
  const [row] = attachment.item.list;
  const cases: readonly (readonly [change: object, differs: string | undefined])[] = [
    [{}, undefined],
    [{ msgType: 'AI' }, 'msgType'],
    [{ text: `${MESSAGE.text} 광고` }, 'text'],
    [{ header: '안내' }, 'header'],
    [{ header: undefined }, 'header'],
    [{ attachment: { ...complete.attachment, button: [] } }, 'attachment.button'],
    [{ attachment: { ...complete.attachment, itemHighlight: undefined } }, undefined],
    [{ attachment: { ...complete.attachment, item: undefined } }, 'attachment.item'],
    [{ attachment: { ...complete.attachment, item: { list: [row, row] } } }, 'attachment.item'],
    [{ supplement: { quickReply: [{ type: 'BK', name: '아니오' }] } }, 'supplement.quickReply'],
  ];
  for (const [change, differs] of cases) {
    const { result } = (await shop.call('POST', '/v1/send/alimtalk', { ...complete, ...change })).body;
    const expected = differs ? `"${differs}" differs from the registered template T1` : 'Success';
    assert.equal(result, expected, JSON.stringify(change));
  }
});

test('a check tells every account what differs from the template of its message', async t => {
  const { gateway } = await testAccount(t);
  const library = libraryOf(gateway, 'shop');
  const check = async (kind: string, body: object) => {
    const { data } = (await gateway.operator('POST', `/accounts/shop/check/${kind}`, body)).body;
    assert.equal(data.problem, null, data.problem?.result);
    return data.warnings.map(({ name, step, keys }: Record<string, string[]>) => `${name} ${step}: ${keys}`);
  };
  assert.deepEqual(await check('alimtalk', MESSAGE), [], 'not in the library');
  await library.import([
    { kind: KIND, key: KEY, ...CONTENT },
    { kind: 'rcsTemplate', key: 'RT1', templateKind: 'free', text: '{{a}}, {{b}} and {{c}}', state: 'draft' },
  ]);
  assert.deepEqual(await check('alimtalk', MESSAGE), []);
  const { attachment, ...bare } = MESSAGE;
  assert.deepEqual(await check('alimtalk', { ...bare, header: '안내' }), [
    'templateContent 0: header,item,button',
  ]);
  const { to, ...alimtalk } = MESSAGE;
  const rcs = {
    from: '0212345678',
    brandKey: 'b',
    formatId: 'RT1',
    content: { template: { a: 'x', b: '', c: '' } },
  };
  const flow = { messageFlow: [{ rcs }, { alimtalk }], destinations: [{ to }] };
  assert.deepEqual(await check('omni', flow), ['templateState 0: draft', 'templateValue 0: b,c']);
});

test('brandmessage templates have states, a history and warnings', async t => {
  const { gateway } = await testAccount(t);
  const kind = 'brandmessageTemplate';
  const library = libraryOf(gateway, 'shop');
  const saved = await library.save(kind, KEY, { msgType: 'FT', text: '#{day} sale' });
  assert.deepEqual(saved.body.data.variables, ['day'], saved.text);
  const brand = { senderKey: 'p1', sendType: 'basic', msgType: 'FT', templateCode: 'T1', targeting: 'I' };
  const check = async (body: object) => {
    const request = { to: MESSAGE.to, ...brand, ...body };
    const { data } = (await gateway.operator('POST', '/accounts/shop/check/brandmessage', request)).body;
    assert.equal(data.problem, null, data.problem?.result);
    return data.warnings.map(({ name, keys }: Record<string, string[]>) => `${name}: ${keys}`);
  };
  assert.deepEqual(await check({ text: 'today sale' }), ['templateState: draft']);
  await library.decide(kind, KEY, { state: 'review', revision: 1 });
  await library.decide(kind, KEY, { state: 'approved', revision: 2 });
  assert.deepEqual(await check({}), []);
  assert.deepEqual(await check({ text: 'no', msgType: 'FI' }), ['templateContent: msgType,text']);
  assert.deepEqual(await check({ sendType: 'free', text: 'no' }), []);
  const { history } = (await library.read(kind, KEY)).body.data;
  assert.deepEqual(
    history.map(({ state }: { state: string }) => state),
    ['approved', 'review', 'draft'],
  );
  const { templates } = (await library.list(`?kind=${kind}&text=sale`)).body.data;
  assert.deepEqual(
    templates.map(({ key }: { key: string }) => key),
    [KEY],
  );
});

test('a template under review or in use is not edited, and one of two concurrent edits is refused', async t => {
  const { gateway } = await testAccount(t);
  const library = libraryOf(gateway, 'shop');
  await library.save(KIND, KEY, { text: 'first' });
  const stale = 'Somebody else has changed the template; read it again';
  assert.deepEqual((await library.save(KIND, KEY, { text: 'new' })).refusal, [400, 'A300', stale]);
  const both = await Promise.all([
    library.save(KIND, KEY, { text: 'mine', revision: 1 }),
    library.save(KIND, KEY, { text: 'yours', revision: 1 }),
  ]);
  assert.deepEqual(both.map(({ body }) => body.code).sort(), ['A000', 'A300']);
  await library.decide(KIND, KEY, { state: 'review', revision: 2 });
  const locked = 'A template in the state review cannot be edited; make it a draft first, or copy it';
  assert.equal((await library.save(KIND, KEY, { text: 'late', revision: 3 })).body.result, locked);
  assert.equal((await library.decide(KIND, KEY, { state: 'review', revision: 3 })).body.code, 'A300');
  assert.equal((await library.decide(KIND, KEY, { state: 'draft', revision: 2 })).body.result, stale);
  assert.equal((await library.decide(KIND, KEY, { state: 'draft', revision: 3 })).body.code, 'A000');
  const gone = 'The template has been deleted; save it as a new one';
  assert.equal((await library.save(KIND, 'p1/T2', { text: 'x', revision: 1 })).body.result, gone);
  await gateway.operator('DELETE', `/accounts/shop/registry/${KIND}/p1%2FT1`);
  assert.equal((await library.read(KIND, KEY)).status, 404);
  await library.save(KIND, KEY, { text: 'again' });
  assert.equal((await library.read(KIND, KEY)).body.data.history.length, 1);
});

test('the library is searched by kind, state and words, page by page', async t => {
  const { gateway } = await testAccount(t);
  await gateway.account('other');
  const library = libraryOf(gateway, 'shop');
  const many = Array.from({ length: 250 }, (_, index) => ({
    kind: KIND,
    key: `p1/T${String(index).padStart(3, '0')}`,
    text: index === 240 ? 'Needle\nin the hay' : 'hay',
    state: index % 2 === 0 ? 'draft' : 'approved',
  }));
  const issued = { kind: 'rcsTemplate', key: 'RT1', templateKind: 'cell', text: '{{name}} owes {{sum}}' };
  assert.equal((await library.import([...many, issued])).body.data.created, 251);
  const keysOf = ({ body }: Answer) => body.data.templates.map(({ key }: { key: string }) => key);
  assert.deepEqual(keysOf(await library.list('?text=NEEDLE')), ['p1/T240']);
  assert.deepEqual(keysOf(await library.list('?kind=rcsTemplate')), ['RT1']);
  assert.deepEqual((await library.list('?text=rt1')).body.data.templates[0].variables, ['name', 'sum']);
  const first = await library.list('?state=draft&limit=100');
  const { next } = first.body.data;
  const second = await library.list(`?state=draft&limit=100&cursor=${encodeURIComponent(next)}`);
  assert.deepEqual([keysOf(first).length, keysOf(second).length], [100, 25]);
  assert.equal(second.body.data.next, null);
  assert.deepEqual((await library.list('?text=nothing')).body.data, { templates: [], next: null });
  assert.deepEqual((await libraryOf(gateway, 'other').list()).body.data, { templates: [], next: null });
  for (const query of ['?state=lost', '?kind=sender', '?limit=0', '?cursor=x', '?cursor=sender:1']) {
    assert.equal((await library.list(query)).body.code, 'A300', query);
  }
});

test('an import stores all templates or none, says what it would do, and exported ones come back the same', async t => {
  const { gateway } = await testAccount(t);
  await gateway.account('copy');
  const library = libraryOf(gateway, 'shop');
  const template = { kind: KIND, key: KEY, ...CONTENT, state: 'rejected', reason: 'link' };
  const wrong = [template, { kind: 'sender', number: '021' }, { kind: KIND, key: 'p1/T2' }, 7, template];
  const trial = (await library.import(wrong, true)).body.data;
  assert.deepEqual(
    trial.problems.map(({ entry, result }: { entry: number; result: string }) => `${entry} ${result}`),
    [
      '2 sender is not a template',
      '3 "text" is required',
      '4 An entry must be a JSON object',
      '5 alimtalkTemplate p1/T1 is the same as entry 1',
    ],
  );
  assert.equal(
    (await library.import(wrong)).body.result,
    'Nothing was stored. Entry 2: sender is not a template',
  );
  assert.equal((await library.import([template], true)).body.data.created, 1);
  assert.deepEqual((await library.list()).body.data.templates, [], 'nothing is stored yet');
  await library.import([template]);
  const again = (await library.import([template, { ...template, key: 'p1/T2' }])).body.data;
  assert.deepEqual([again.created, again.replaced, again.unchanged], [1, 0, 1]);
  await library.decide(KIND, 'p1/T2', { state: 'review', revision: 1 });
  const listed = (await library.list('?text=T2')).body.data.templates;
  const exportedOnes = listed.map(
    ({ variables, revision, changedAt, ...entry }: Record<string, unknown>) => entry,
  );
  assert.equal((await library.import(exportedOnes)).body.data.unchanged, 1, 'whatever the order of members');
  const changed = (await library.import([{ ...template, text: 'changed' }])).body.data;
  assert.deepEqual([changed.created, changed.replaced], [0, 1]);

  const exported = (await gateway.operator('GET', `/accounts/shop/registry?kind=${KIND}`)).body.data;
  assert.equal((await libraryOf(gateway, 'copy').import(exported.entries)).body.data.created, 2);
  const copied = (await gateway.operator('GET', `/accounts/copy/registry?kind=${KIND}`)).body.data;
  assert.deepEqual(copied, exported);
  assert.equal((await library.import({})).body.code, 'A011');
  assert.match((await library.import(Array(1001).fill(0))).body.result, /more than 1000 entries/);
});

test('wrong calls of the template library are refused with the reason', async t => {
  const { gateway } = await testAccount(t);
  const library = libraryOf(gateway, 'shop');
  const nobody = libraryOf(gateway, 'nobody');
  for (const answer of [
    await nobody.list(),
    await nobody.read(KIND, KEY),
    await nobody.save(KIND, KEY, { text: 'x' }),
    await nobody.decide(KIND, KEY, { state: 'draft', revision: 1 }),
    await nobody.import([]),
  ]) {
    assert.deepEqual(answer.refusal, [404, 'A300', 'There is no account "nobody"']);
  }
  assert.equal((await library.read(KIND, KEY)).status, 404);
  assert.equal((await library.decide(KIND, KEY, { state: 'draft', revision: 1 })).status, 404);
  await library.save(KIND, KEY, { text: 'x' });
  const cases: readonly (readonly [answer: Promise<Answer>, result: RegExp])[] = [
    [library.read('sender', '021'), /must be one of alimtalkTemplate, brandmessageTemplate, rcsTemplate/],
    [library.save('sender', '021', {}), /"kind" must be one of/],
    [library.save(KIND, 'no-profile', { text: 'x' }), /"senderKey" is required/],
    [library.save(KIND, KEY, { text: 'x', colour: 'red' }), /"colour" is not a field of alimtalkTemplate/],
    [library.save(KIND, KEY, { text: 'x'.repeat(1001), revision: 1 }), /longer than 1000 characters/],
    [library.save(KIND, KEY, { text: 'x', revision: 'one' }), /"revision" must be/],
    [library.decide(KIND, KEY, { state: 'lost', revision: 1 }), /"state" must be "draft", "review"/],
    [library.decide(KIND, KEY, { state: 'review' }), /"revision" is required/],
    [library.decide(KIND, KEY, { state: 'review', revision: 1, reason: 7 }), /"reason" must be a string/],
    [library.decide(KIND, KEY, { state: 'approved', revision: 1 }), /can become review, not approved/],
  ];
  for (const [answer, result] of cases) {
    const { status, body } = await answer;
    assert.equal(status, 400, body.result);
    assert.match(body.result, result);
  }
});

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Problem } from '../request/problem.ts';
import {
  BUTTON_TYPES,
  buttons,
  MAX_BUTTONS,
  MAX_QUICK_REPLIES,
  QUICK_REPLY_TYPES,
  quickReplies,
} from './messenger-buttons.ts';

const KINDS = {
  button: { list: buttons, most: MAX_BUTTONS, code: 'A503', typeCode: 'A524', nameCode: 'A525' },
  quickReply: {
    list: quickReplies,
    most: MAX_QUICK_REPLIES,
    code: 'A562',
    typeCode: 'A563',
    nameCode: 'A564',
  },
} as const;

function readAs(kind: keyof typeof KINDS, value: unknown): unknown {
  return KINDS[kind].list.read(value, kind, 'final');
}

function refusal(kind: keyof typeof KINDS, value: unknown): [string, string] {
  const result = readAs(kind, value);
  assert.ok(result instanceof Problem, JSON.stringify(result));
  return [result.code, result.result];
}

/** As the Python client's own tests send each type; BF and some BT go out as BC. */
const SAMPLES: Record<(typeof BUTTON_TYPES)[number], object> = {
  WL: { type: 'WL', name: 'name', urlMobile: 'urlMobile', urlPc: 'urlPc' },
  AL: { type: 'AL', name: 'name', schemeAndroid: 'a', schemeIos: 'i', urlMobile: 'm', urlPc: 'p' },
  BK: { type: 'BK', name: 'name' },
  MD: { type: 'MD', name: 'name' },
  DS: { type: 'DS', name: 'name' },
  BC: { type: 'BC', name: 'name', chatExtra: 'chatExtra' },
  BT: { type: 'BT', name: '버튼명', chatExtra: 'chatExtra', chatEvent: 'chatEvent' },
  AC: { type: 'AC', name: '채널 추가' },
  BF: { type: 'BF', name: '버튼명', bizFormId: 'bizFormId', bizFormKey: 'bizFormKey' },
  TN: { type: 'TN', name: '전화', telNumber: '021234567' },
};

for (const type of BUTTON_TYPES) {
  test(`reads a button of type ${type}`, () => {
    assert.deepEqual(readAs('button', [SAMPLES[type]]), [SAMPLES[type]]);
  });
}

for (const type of QUICK_REPLY_TYPES) {
  test(`reads a quick reply of type ${type}`, () => {
    assert.deepEqual(readAs('quickReply', [SAMPLES[type]]), [SAMPLES[type]]);
  });
}

test('takes a BC button that carries the members of another type', () => {
  for (const sample of [SAMPLES.BF, SAMPLES.BT]) {
    assert.deepEqual(readAs('button', [{ ...sample, type: 'BC' }]), [{ ...sample, type: 'BC' }]);
  }
});

for (const [kind, { most, code, typeCode, nameCode }] of Object.entries(KINDS)) {
  const name = kind as keyof typeof KINDS;

  test(`answers ${typeCode} to a ${kind} without a type or of an unknown one`, () => {
    assert.deepEqual(refusal(name, [{ name: 'x' }]), [typeCode, `"${kind}[0].type" is required`]);
    assert.equal(refusal(name, [{ type: 'XX', name: 'x' }])[0], typeCode);
  });

  test(`answers ${nameCode} to a ${kind} without a name`, () => {
    assert.deepEqual(refusal(name, [{ type: 'BK', name: '' }]), [nameCode, `"${kind}[0].name" is required`]);
  });

  test(`takes ${most} of ${kind} and answers ${code} to one more`, () => {
    const many = Array.from({ length: most }, () => SAMPLES.BK);
    assert.ok(Array.isArray(readAs(name, many)));
    assert.equal(refusal(name, [...many, SAMPLES.BK])[0], code);
  });

  test(`a WL ${kind} needs urlMobile`, () => {
    assert.deepEqual(refusal(name, [{ type: 'WL', name: 'x', urlPc: 'p', urlMobile: '' }]), [
      code,
      `"${kind}[0]" of type WL needs "urlMobile"`,
    ]);
  });

  test(`an AL ${kind} needs two of its three links`, () => {
    const link = ['schemeIos', 'schemeAndroid', 'urlMobile'];
    for (const left of link) {
      const two = Object.fromEntries(link.filter(each => each !== left).map(each => [each, 'x']));
      assert.ok(Array.isArray(readAs(name, [{ type: 'AL', name: 'x', ...two }])));
      assert.deepEqual(refusal(name, [{ type: 'AL', name: 'x', urlPc: 'p', [left]: 'x' }]), [
        code,
        `"${kind}[0]" of type AL needs 2 of "schemeIos", "schemeAndroid", "urlMobile"`,
      ]);
    }
  });

  test(`reads the links of a ${kind} in the spellings that public clients use`, () => {
    const links = { urlPC: 'p', url_mobile: 'm', schemeIOS: 'i', scheme_android: 'a' };
    assert.deepEqual(readAs(name, [{ type: 'AL', name: 'x', ...links }]), [
      { type: 'AL', name: 'x', urlPc: 'p', urlMobile: 'm', schemeIos: 'i', schemeAndroid: 'a' },
    ]);
  });
}

test('a TN button needs the number', () => {
  assert.deepEqual(refusal('button', [{ type: 'TN', name: 'x' }]), [
    'A503',
    '"button[0]" of type TN needs "telNumber"',
  ]);
});

test('bounds the name of a quick reply by 14 characters, that of a button not', () => {
  const name = '가'.repeat(14);
  assert.ok(Array.isArray(readAs('quickReply', [{ type: 'BK', name }])));
  assert.equal(refusal('quickReply', [{ type: 'BK', name: `${name}가` }])[0], 'A564');
  assert.ok(Array.isArray(readAs('button', [{ type: 'BK', name: `${name}${name}가` }])));
});

test('takes the id of a form as a number', () => {
  assert.deepEqual(readAs('button', [{ type: 'BF', name: 'x', bizFormId: 42 }]), [
    { type: 'BF', name: 'x', bizFormId: '42' },
  ]);
});

test('no list, however odd, makes it throw', () => {
  const odd = fc.array(
    fc.record({ type: fc.constantFrom(...BUTTON_TYPES), name: fc.anything(), urlMobile: fc.anything() }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), fc.array(fc.anything()), odd), value => {
      readAs('button', value);
      readAs('quickReply', value);
    }),
  );
});

test('a button opens apps and pages, and runs nothing', () => {
  const withUrl = (urlMobile: string) => [{ type: 'WL', name: 'name', urlMobile }];
  for (const url of ['https://example.com', 'kakaotalk://open', 'urlMobile', '#{link}']) {
    assert.ok(!(readAs('button', withUrl(url)) instanceof Problem), url);
  }
  for (const url of ['javascript:alert(1)', '\tJavaScript:alert(1)', 'data:text/html,a', 'vbscript:a']) {
    assert.deepEqual(refusal('button', withUrl(url)), [
      'A503',
      '"button[0].urlMobile" must be a full address such as https://example.com',
    ]);
    assert.equal(refusal('quickReply', withUrl(url))[0], 'A562');
  }
});

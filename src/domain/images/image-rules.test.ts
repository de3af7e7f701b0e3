import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Problem } from '../request/problem.ts';
import type { ImageFormat } from './image-header.ts';
import {
  IMAGE_RULES,
  type ImageRule,
  imageProblem,
  parseImageName,
  parseImagePath,
  tooBig,
} from './image-rules.ts';

function ruleOf(...path: [string, string?, string?]): ImageRule {
  const rule = parseImagePath(...path);
  assert.ok(!(rule instanceof Problem), rule instanceof Problem ? rule.result : '');
  return rule;
}

function refusal(answer: unknown): [string, string] {
  assert.ok(answer instanceof Problem, 'a refusal was expected');
  return [answer.code, answer.result];
}

const KB = 1024;
const PHOTO = {
  inside: [
    [500, 250],
    [500, 666],
    [600, 800],
    [4000, 2000],
    [501, 668],
  ],
  outside: [
    [499, 499],
    [500, 249],
    [500, 667],
    [600, 801],
    [4001, 2000],
  ],
};
const WIDE = {
  inside: [[800, 600]],
  outside: [
    [799, 600],
    [801, 600],
    [800, 599],
    [800, 601],
  ],
};
const LIST = {
  inside: [
    [400, 400],
    [800, 400],
    [600, 400],
  ],
  outside: [
    [399, 400],
    [801, 400],
    [400, 399],
    [800, 401],
  ],
};

/** The specification's table, row by row. */
const ROWS = [
  {
    path: ['MMS'],
    formats: ['jpg'],
    maxBytes: 300 * KB,
    inside: [
      [1500, 1440],
      [1, 1],
    ],
    outside: [
      [1501, 1440],
      [1500, 1441],
    ],
  },
  {
    path: ['RCS'],
    formats: ['jpg', 'bmp', 'png', 'gif'],
    maxBytes: 1024 * KB,
    inside: [
      [1, 1],
      [9000, 9000],
    ],
    outside: [],
  },
  { path: ['FRIENDTALK', 'FI'], formats: ['jpg', 'png'], maxBytes: 500 * KB, ...PHOTO },
  { path: ['FRIENDTALK', 'FT'], formats: ['jpg', 'png'], maxBytes: 500 * KB, ...PHOTO },
  { path: ['FRIENDTALK', 'FM'], formats: ['jpg', 'png'], maxBytes: 500 * KB, ...PHOTO },
  { path: ['FRIENDTALK', 'FP'], formats: ['jpg', 'png'], maxBytes: 500 * KB, ...PHOTO },
  { path: ['FRIENDTALK', 'FW'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...WIDE },
  { path: ['FRIENDTALK', 'FL'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...LIST },
  { path: ['FRIENDTALK', 'FC'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...PHOTO },
  { path: ['FRIENDTALK', 'FA'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...PHOTO },
  { path: ['BRANDMESSAGE', 'default'], formats: ['jpg', 'png'], maxBytes: 500 * KB, ...PHOTO },
  { path: ['BRANDMESSAGE', 'wide'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...WIDE },
  { path: ['BRANDMESSAGE', 'wideItemList'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...LIST },
  { path: ['BRANDMESSAGE', 'carouselFeed'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...PHOTO },
  { path: ['BRANDMESSAGE', 'carouselCommerce'], formats: ['jpg', 'png'], maxBytes: 2048 * KB, ...PHOTO },
];
const EVERY_FORMAT: readonly ImageFormat[] = ['jpg', 'png', 'gif', 'bmp'];

test('has a test row for each rule', () => {
  assert.equal(ROWS.length, IMAGE_RULES.length);
});

for (const { path, formats, maxBytes, inside, outside } of ROWS) {
  test(`keeps the limits of ${path.join('/')}`, () => {
    const rule = ruleOf(path[0] ?? '', path[1]);
    assert.equal(rule.maxBytes, maxBytes);
    for (const [width = 0, height = 0] of inside) {
      assert.equal(imageProblem(rule, { format: 'jpg', width, height }), undefined);
    }
    for (const [width = 0, height = 0] of outside) {
      const [code, result] = refusal(imageProblem(rule, { format: 'jpg', width, height }));
      assert.equal(code, 'A203');
      assert.ok(result.startsWith(`image is ${width}x${height}, `), result);
    }
    const [width = 0, height = 0] = inside[0] ?? [];
    for (const format of EVERY_FORMAT) {
      const problem = imageProblem(rule, { format, width, height });
      assert.equal(problem?.code, formats.includes(format) ? undefined : 'A206');
    }
  });
}

test('says which rule an image breaks, and what it is', () => {
  const photo = ruleOf('FRIENDTALK');
  const problem = (width: number, height: number) =>
    refusal(imageProblem(photo, { format: 'png', width, height }));
  assert.deepEqual(problem(500, 900), ['A203', 'image is 500x900, width:height must be between 2:1 and 3:4']);
  assert.deepEqual(problem(300, 300), ['A203', 'image is 300x300, width must be at least 500']);
  assert.deepEqual(refusal(tooBig(ruleOf('MMS'))), [
    'A200',
    'file is larger than 307200 bytes, the limit of MMS',
  ]);
  const cutOff = imageProblem(photo, { format: 'png', width: 500, height: 500 }, false);
  assert.deepEqual(refusal(cutOff), ['A202', 'the file is cut off: the end of the image is missing']);
  assert.deepEqual(refusal(imageProblem(ruleOf('MMS'), { format: 'webp' })), [
    'A206',
    'MMS takes jpg (was webp)',
  ]);
  assert.equal(refusal(imageProblem(photo, undefined))[0], 'A202');
});

test('reads paths as clients write them', () => {
  const kindOf = (...path: [string, string?, string?]) => {
    const { service, kind } = ruleOf(...path);
    return `${service} ${kind}`;
  };
  assert.equal(kindOf('mms', ''), 'MMS default');
  assert.equal(kindOf(' Rcs ', ' '), 'RCS default');
  assert.equal(kindOf('friendtalk'), 'FRIENDTALK FI');
  assert.equal(kindOf('friendtalk', 'fw'), 'FRIENDTALK FW');
  assert.equal(kindOf('BRANDMESSAGE'), 'BRANDMESSAGE default');
  assert.equal(kindOf('BRANDMESSAGE', 'defalut'), 'BRANDMESSAGE default');
  assert.equal(kindOf('BRANDMESSAGE', 'carouselCommerce '), 'BRANDMESSAGE carouselCommerce');
  assert.equal(kindOf('BRANDMESSAGE', 'WIDEITEMLIST', 'first'), 'BRANDMESSAGE wideItemList');
  for (const subType of ['first', 'middle', 'end', 'done', 'x'.repeat(40)]) {
    assert.equal(kindOf('FRIENDTALK', 'FL', subType), 'FRIENDTALK FL');
  }
});

test('refuses paths that choose no rule', () => {
  for (const service of ['SMS', 'ALIMTALK', '', ' ', '__proto__']) {
    assert.equal(refusal(parseImagePath(service))[0], 'A219');
  }
  assert.equal(
    refusal(parseImagePath('FAX'))[1],
    'serviceType must be one of MMS, RCS, FRIENDTALK, BRANDMESSAGE (was "FAX")',
  );
  for (const [service, msgType] of [
    ['FRIENDTALK', 'AT'],
    ['FRIENDTALK', 'wide'],
    ['BRANDMESSAGE', 'FI'],
    ['BRANDMESSAGE', 'constructor'],
    ['MMS', 'FI'],
  ] as const) {
    assert.equal(refusal(parseImagePath(service, msgType))[0], 'A220');
  }
  assert.equal(refusal(parseImagePath('FRIENDTALK', 'FL', 'x'.repeat(41)))[0], 'A220');
});

test('takes the last component of a path as the name, up to 40 characters', () => {
  assert.equal(parseImageName('a.jpg'), 'a.jpg');
  assert.equal(parseImageName('/home/someone/with/a/very/long/directory/name/a.jpg'), 'a.jpg');
  assert.equal(parseImageName('C:\\Users\\someone\\Pictures\\summer 2026\\a.jpg'), 'a.jpg');
  assert.equal(parseImageName(`${'가'.repeat(36)}.jpg`), `${'가'.repeat(36)}.jpg`);
  assert.deepEqual(refusal(parseImageName(`${'가'.repeat(37)}.jpg`)), [
    'A201',
    'file name is longer than 40 characters (was 41)',
  ]);
  for (const missing of [undefined, '', ' ', '/home/', 'C:\\']) {
    assert.equal(refusal(parseImageName(missing))[0], 'A208');
  }
  for (const odd of ['a\0.jpg', '\ud800.jpg']) assert.equal(refusal(parseImageName(odd))[0], 'A208');
});

test('believes the bytes', () => {
  const rcs = ruleOf('RCS');
  assert.equal(imageProblem(rcs, { format: 'jpg', width: 1, height: 1 }), undefined);
  assert.equal(imageProblem(rcs, { format: 'webp' })?.code, 'A206');
});

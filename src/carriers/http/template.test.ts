import assert from 'node:assert/strict';
import test from 'node:test';
import { requestTemplate } from './request-template.ts';
import { structureTemplate, type TemplateValues } from './template.ts';

const NAMES = ['to', 'to.digits', 'text', 'title', 'media', 'count', 'flag', 'message.*'];

function structure(source: unknown, values: TemplateValues): unknown {
  const problems: string[] = [];
  const make = structureTemplate(source, 'json', { names: NAMES, problems });
  assert.deepEqual(problems, []);
  return make(values);
}

const VALUES = {
  to: '+14155550123',
  'to.digits': '14155550123',
  text: 'say "hi" {{to}}',
  media: ['f1', 'f2'],
  count: 3,
  flag: false,
  message: { buttons: [{ name: 'Open' }], link: { url: 'https://a.example' } },
};

const STRUCTURES: [string, unknown, unknown][] = [
  ['a whole placeholder keeps its type', { a: '{{count}}', b: '{{flag}}' }, { a: 3, b: false }],
  ['a list goes in as a list', { files: '{{ media }}' }, { files: ['f1', 'f2'] }],
  ['a path leads into the message', ['{{message.buttons.0.name}}'], ['Open']],
  ['any field of the message', { buttons: '{{message.buttons}}' }, { buttons: [{ name: 'Open' }] }],
  ['text around a placeholder makes it text', 'n={{count}} {{media}}', 'n=3 f1,f2'],
  ['a structure within text is JSON', 'x{{message.link}}', 'x{"url":"https://a.example"}'],
  ['values are not looked through again', { t: '{{text}}' }, { t: 'say "hi" {{to}}' }],
  ['a value that is missing is null', { t: '{{title}}', u: '{{message.no.such}}' }, { t: null, u: null }],
  ['an optional one takes its member away', { t: '{{title?}}', u: 'x{{title?}}', v: 1 }, { v: 1 }],
  ['and its place in a list', ['{{title?}}', '{{to.digits}}'], ['14155550123']],
  ['what is no text stays', { a: 1, b: true, c: null, d: [2.5] }, { a: 1, b: true, c: null, d: [2.5] }],
];

for (const [name, source, expected] of STRUCTURES) {
  test(name, () => assert.deepEqual(structure(source, VALUES), expected));
}

test('names and braces that mean nothing are problems', () => {
  const problems: string[] = [];
  structureTemplate({ a: '{{txet}}', b: ['{{ text'], c: '{{to.name}}' }, 'json', {
    names: ['to', 'text'],
    problems,
  });
  assert.deepEqual(problems, [
    'json.a: there is no {{txet}} here; expected to, text',
    'json.b[0]: has braces that are not a placeholder; expected {{name}} or {{name?}}',
    'json.c: there is no {{to.name}} here; expected to, text',
  ]);
});

const REQUEST = {
  method: undefined,
  url: undefined,
  query: undefined,
  headers: undefined,
  json: undefined,
  form: undefined,
};

test('values are encoded for the place they stand in', () => {
  const problems: string[] = [];
  const make = requestTemplate(
    {
      ...REQUEST,
      url: 'https://a.example/{{to}}/x?fixed=1',
      query: { text: '{{text}}', title: '{{title?}}' },
      headers: { 'X-Text': '{{text}}', Accept: 'text/plain' },
      form: { 'a b': '{{text}}' },
    },
    'submit',
    { names: NAMES, problems },
  );
  assert.deepEqual(problems, []);
  const text = 'a&b=ü\r\nx: \ud800';
  assert.deepEqual(make({ to: '../+1', text }), {
    method: 'POST',
    url: 'https://a.example/..%2F%2B1/x?fixed=1&text=a%26b%3D%C3%BC%0D%0Ax%3A+%EF%BF%BD',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-text': 'a&b=%C3%BC%0D%0Ax: %EF%BF%BD',
      accept: 'text/plain',
    },
    body: 'a+b=a%26b%3D%C3%BC%0D%0Ax%3A+%EF%BF%BD',
  });
});

test('a value cannot lead to another place of the provider', () => {
  const make = requestTemplate({ ...REQUEST, url: 'https://a.example/a/{{to}}/b' }, 'submit', {
    names: NAMES,
    problems: [],
  });
  for (const to of ['..', '.', '../..', '//b.example', '?x', '#x', '\\\\b']) {
    const { hostname, pathname, search } = new URL(make({ to }).url);
    assert.deepEqual([hostname, search], ['a.example', '']);
    assert.match(pathname, /^\/a\/[^/]*\/b$/, to);
  }
});

const WRONG_REQUESTS: [object, string][] = [
  [{}, 'submit.url: missing; expected an http(s) URL'],
  [
    { url: 'ftp://a.example/' },
    'submit.url: expected an http(s) URL whose host has no placeholder and no password',
  ],
  [
    { url: 'https://{{to}}.example/' },
    'submit.url: expected an http(s) URL whose host has no placeholder and no password',
  ],
  [
    { url: 'https://me:secret@a.example/' },
    'submit.url: expected an http(s) URL whose host has no placeholder and no password',
  ],
  [
    { url: 'https://a.example/{{to?}}' },
    'submit.url: an address has no optional parts; expected {{name}}, or query',
  ],
  [{ url: 'https://a.example/', json: {}, form: {} }, 'submit: expected one of json and form, not both'],
  [
    { url: 'https://a.example/', method: 'GET', json: {} },
    'submit: a GET has no body; expected query instead of json or form',
  ],
];

for (const [options, problem] of WRONG_REQUESTS) {
  test(`tells: ${problem}`, () => {
    const problems: string[] = [];
    requestTemplate({ ...REQUEST, ...options }, 'submit', { names: NAMES, problems });
    assert.deepEqual(problems, [problem]);
  });
}

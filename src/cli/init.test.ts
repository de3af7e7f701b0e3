import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfigFile } from '../config/file.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { exampleFile } from './init.ts';

const ENV = {
  SKY_PASSWORD: 'secret',
  ACME_TOKEN: 'token',
  ACME_WEBHOOK_SECRET: 'whsec_c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0',
};

function read(source: string) {
  const problems: string[] = [];
  const { carriers, routes } = parseConfigFile(source, CHANNELS, ENV, problems);
  assert.deepEqual(problems, []);
  return { carriers: carriers.map(({ name, kind }) => `${name} ${kind}`), routes: routes.length };
}

test('the file of init is right as it stands, and with every example put to use', () => {
  assert.deepEqual(read(exampleFile()), { carriers: ['simulator simulator'], routes: 1 });
  const used = exampleFile()
    .replaceAll(/^( *)#(?=\S)/gm, '$1')
    .replaceAll(/^( *)#(?= {2})/gm, '$1');
  assert.deepEqual(read(used), { carriers: ['simulator simulator', 'sky smpp', 'acme http'], routes: 4 });
});

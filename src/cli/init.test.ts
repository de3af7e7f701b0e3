import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfigFile } from '../config/file.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { exampleFile } from './init.ts';
import { upstreamFile } from './upstream-file.ts';

const ENV = {
  SKY_PASSWORD: 'secret',
  ACME_TOKEN: 'token',
  UPSTREAM_PASSWORD: 'secret',
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

test('the file of init --upstream has one carrier, and a route to it for every channel', () => {
  const file = upstreamFile({
    url: 'https://api.example.com',
    account: 'shop:#1',
    headerPrefix: 'IB',
    isPrivate: true,
  });
  assert.deepEqual(read(file), { carriers: ['upstream omni'], routes: CHANNELS.length });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type TestContext } from 'node:test';
import { operatorClient } from './operator-call.ts';

async function listening(t: TestContext, server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a peer that takes the connection and says nothing is no gateway, whatever is asked of it', async t => {
  const url = await listening(
    t,
    createServer(() => {}),
  );
  const silence = { message: `no gateway answers at ${url} (no answer within 0.01 s)` };
  const clientOf = () => operatorClient(url, 'token', 10);
  await assert.rejects(clientOf().call('GET', '/queue'), silence);
  await assert.rejects(
    clientOf().follow('/files/move', {}, () => {}),
    silence,
  );
  await assert.rejects(clientOf().download('/backups', {}).next(), silence);
});

test('a gateway is greeted once, and its work may last', async t => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(String(request.url));
    response.end(JSON.stringify({ code: 'A000', result: 'Success', data: 7 }));
  });
  const { call } = operatorClient(await listening(t, server), 'token');
  assert.deepEqual([await call('GET', '/one'), await call('GET', '/two')], [7, 7]);
  assert.deepEqual(asked, ['/healthz', '/admin/v1/one', '/admin/v1/two']);
});

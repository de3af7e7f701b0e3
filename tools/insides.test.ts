import assert from 'node:assert/strict';
import test from 'node:test';
import { insidesIn } from './insides.ts';

const FOUND = [
  'const close = socket._destroy;',
  'handle?._handle?.readStop();',
  "socket['_write'](bytes);",
  'const { _handle } = socket;',
  'export function stop({ _handle, destroyed }: Held): void {}',
  'socket._destroy = (error, callback) => act();',
  '  parser.onIncoming = (request, keepAlive) => take(request);',
  'query.submit = connection => {',
  'Server.prototype.close = function () {};',
  "const [take] = socket.listeners('data');",
  "socket.removeAllListeners('end');",
  'function refuse(socket: Socket & { readonly parser?: Parser }): void {}',
  'const { stream } = this.#client.connection;',
];
for (const code of FOUND) test(`found: ${code}`, () => assert.ok(insidesIn(`${code}\n`).length > 0));

const FINE = [
  'this.close = () => {};',
  'const act = () => close();',
  "server.on('checkContinue', (_request, response) => response.end());",
  'const { account: _account, ...result } = found;',
  'const HEADER = /([!#$%&.^_`|~-]+):/;',
  '/** Not socket._destroy. */',
  'response.statusCode = 200;',
  'export function each(_request: Request, _turns: Turns): void {}',
];
for (const code of FINE) test(`fine: ${code}`, () => assert.deepEqual(insidesIn(`${code}\n`), []));

test('a finding names its line', () => {
  const [finding] = insidesIn('const a = 1;\n/* two\nlines */\nsocket._destroy();\n');
  assert.equal(finding?.line, 4);
});

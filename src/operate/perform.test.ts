import assert from 'node:assert/strict';
import test from 'node:test';
import { Problem } from '../domain/request/problem.ts';
import { OPERATIONS } from '../operations/operations.ts';
import { type Asked, perform } from './perform.ts';

const CALLER = {
  by: 'kim',
  operatorId: undefined,
  gatewayUrl: '',
  role: 'admin',
  sight: 'clear',
  record: async () => {},
} as const;

/** What the handler of an operation reads, or why it is not called. */
async function inputOf(address: 'GET /accounts/{id}/optouts' | 'GET /webhooks', asked: Asked) {
  const operation = OPERATIONS.get(address);
  if (!operation) throw new Error(`${address} is not declared`);
  let input: unknown;
  const handle = async (given: unknown) => {
    input = given;
    return new Problem('A300', 'enough');
  };
  const answer = await perform(operation, handle, asked, CALLER);
  return input ?? (answer instanceof Problem ? answer.code : answer);
}

test('an empty filter of a command is not given, as over HTTP', async () => {
  const given = { id: 'shop', to: '', sender: '', limit: '', state: 'all' };
  const fromCommand = await inputOf('GET /accounts/{id}/optouts', { path: given, query: given, body: given });
  assert.deepEqual(fromCommand, { id: 'shop', state: 'all' });
  const overHttp = { path: { id: 'shop' }, query: { to: '', limit: '', state: 'all' }, body: undefined };
  assert.deepEqual(await inputOf('GET /accounts/{id}/optouts', overHttp), { id: 'shop', state: 'all' });
});

test('a parameter of a query has no other code of refusal than A300 where it is no number or given twice', async () => {
  for (const query of [{ limit: 'ten' }, { limit: ['1', '2'] }, { state: ['off', 'failed'] }]) {
    assert.equal(await inputOf('GET /webhooks', { path: {}, query, body: undefined }), 'A300');
  }
});

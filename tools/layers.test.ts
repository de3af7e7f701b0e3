import assert from 'node:assert/strict';
import test from 'node:test';
import { layerProblem } from './layers.ts';

const inside = (from: string, to: string) => layerProblem({ from, to, isPackage: false });

test('an import along the layers is allowed', () => {
  assert.equal(inside('accept/send.ts', 'domain/delivery/flow.ts'), undefined);
  assert.equal(inside('accept/send.ts', 'store/store.ts'), undefined);
  assert.equal(inside('domain/channels/sms.ts', 'domain/request/fields.ts'), undefined);
  assert.equal(inside('composition/gateway.ts', 'store/sqlite/sqlite-store.ts'), undefined);
});

test('an import against the layers is not', () => {
  assert.match(inside('domain/delivery/flow.ts', 'http/server.ts') ?? '', /domain may import nothing/);
  assert.match(inside('accept/send.ts', 'store/sqlite/queue.ts') ?? '', /accept may import/);
  assert.match(inside('http/server.ts', 'store/store.ts') ?? '', /http may import/);
  assert.match(inside('cli/main.ts', 'accept/send.ts') ?? '', /cli may import/);
});

test('the domain uses no packages', () => {
  assert.match(layerProblem({ from: 'domain/ids.ts', to: 'node:fs', isPackage: true }) ?? '', /no packages/);
  assert.equal(layerProblem({ from: 'platform/clock.ts', to: 'pino', isPackage: true }), undefined);
});

test('a file outside every layer is told', () => {
  assert.match(inside('stray/file.ts', 'domain/ids.ts') ?? '', /belongs to no layer/);
});

/** The fuzzer itself: that a seed decides, that faults are seen, and that a long turn is told. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test from 'node:test';
import { API_OPERATIONS } from '../../src/http/openapi/document.ts';
import { scratchDirectory } from '../harness/scratch.ts';
import { SeededRandom } from '../simulation/seeded-random.ts';
import { readCorpus } from './corpus.ts';
import type { HttpInput } from './http-input.ts';
import { convict, LongTurns } from './long-turns.ts';
import { minimised } from './minimise.ts';
import { requestFor } from './requests.ts';
import { HttpSender } from './targets/http.ts';
import { TARGETS } from './targets.ts';
import type { MeterMessage } from './turn-meter.ts';

test('a seed decides the requests', () => {
  const requestsOf = (seed: string) => {
    const random = new SeededRandom(seed);
    return Array.from({ length: 300 }, () => requestFor(random, random.pick(API_OPERATIONS)));
  };
  assert.deepEqual(requestsOf('1'), requestsOf('1'));
  assert.notDeepEqual(requestsOf('1'), requestsOf('2'));
});

test('every target has saved inputs', () => {
  for (const { name } of TARGETS) assert.ok(readCorpus(name).length > 10, name);
});

const SMS: HttpInput = {
  operation: 'sendSms',
  method: 'POST',
  path: '/v1/send/sms',
  headers: [],
  framing: 'length',
};
const ANSWERS: readonly (readonly [what: string, (response: ServerResponse) => void, RegExp | undefined])[] =
  [
    ['a refusal of the contract', answer(400, { code: 'A300', result: 'x' }), undefined],
    ['A999', answer(500, { code: 'A999', result: 'Unknown error' }), /^A999/],
    ['A999 with a good status', answer(200, { code: 'A999', result: 'Unknown error' }), /^A999/],
    ['a status that the operation does not have', answer(502, { code: 'A300', result: 'x' }), /^status 502/],
    ['a code that nobody knows', answer(400, { code: 'B1', result: 'x' }), /^an unknown code/],
    ['JSON without a code', answer(400, { error: 'x' }), /^JSON without a code/],
    ['no answer', response => void response.socket?.destroy(), /no answer/],
  ];

function answer(status: number, body: object) {
  return (response: ServerResponse) => {
    const text = JSON.stringify(body);
    response
      .writeHead(status, { 'content-type': 'application/json', 'content-length': text.length })
      .end(text);
  };
}

for (const [what, respond, expected] of ANSWERS) {
  test(`${what} is ${expected ? 'a finding' : 'none'}`, async t => {
    const server = createServer((_, response) => respond(response)).listen(0, '127.0.0.1');
    t.after(() => {
      server.closeAllConnections();
      server.close();
    });
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sender = new HttpSender({ gateway: { url }, known: new Map(), fill: text => text });
    const { finding } = await sender.send(SMS);
    if (expected) assert.match(finding ?? '', expected);
    else assert.equal(finding, undefined);
  });
}

test('the meter tells of a turn by its processor time', async t => {
  const program = join(scratchDirectory(), 'busy.mjs');
  const busy = 'const at = process.threadCpuUsage(); while (process.threadCpuUsage(at).user < 300_000);';
  writeFileSync(program, `setTimeout(() => { ${busy} }, 50); setTimeout(() => {}, 60_000);`);
  const meter = new URL('./turn-meter.ts', import.meta.url).href;
  const child = fork(program, { execArgv: ['--disable-warning=ExperimentalWarning', '--import', meter] });
  t.after(() => child.kill('SIGKILL'));
  const told = await new Promise<MeterMessage>(resolve => {
    child.on('message', message => {
      const { cpuMs } = message as MeterMessage;
      // The start of a process may be a long turn too.
      if (cpuMs >= 290) resolve(message as MeterMessage);
    });
  });
  assert.equal(told.kind, 'turn');
});

test('a finding is made smaller while it stays the same', async () => {
  const body = { a: [1, 2, 3, 4, 5, 'bad', 6], text: 'a long text that does not matter', deep: { er: 'x' } };
  const input = { headers: [['a', 'b']], body: { text: JSON.stringify(body) } };
  const small = await minimised(input, async tried => JSON.stringify(tried).includes('bad'));
  assert.deepEqual(small, { headers: [], body: { text: '{"a":["bad"]}' } });
});

test('suspects are tried again, no more at a time than the target takes', async () => {
  let running = 0;
  let most = 0;
  const target = {
    next: () => ({}),
    async run() {
      most = Math.max(most, ++running);
      await new Promise(setImmediate);
      running--;
      return { label: '' };
    },
    async close() {},
  };
  const gateway = { longestTurn: async () => ({ cpuMs: 300, rss: 0 }) };
  const group = Array.from({ length: 20 }, () => ({}));
  const convicted = await convict(gateway, target, 8, [group]);
  assert.equal(most, 8);
  assert.equal(convicted.length, group.length, 'each takes too long alone, too');
});

test('whatever was under way in a turn is suspected', () => {
  const turns = new LongTurns();
  const [early, late] = [{ name: 'early' }, { name: 'late' }];
  const now = performance.timeOrigin + performance.now();
  turns.begin(early)();
  turns.begin(late);
  assert.deepEqual(turns.suspectsOf({ kind: 'turn', cpuMs: 300, from: now + 5000, until: now + 5300 }), [
    late,
  ]);
});

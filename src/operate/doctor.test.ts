import assert from 'node:assert/strict';
import { test } from 'node:test';
import { certainObjections } from '../domain/delivery/network-objections.ts';
import { koreanSentence } from '../domain/korean/korean.ts';
import type { CarrierLine } from '../operations/carriers.ts';
import type { Finding } from '../operations/health.ts';
import { ManualClock } from '../platform/clock.ts';
import { ClusterClock } from '../platform/cluster-clock.ts';
import { createDoctor, type Doctor } from './doctor.ts';
import type { Surroundings } from './doctor-checks.ts';

type Deps = Parameters<typeof createDoctor>[0];

const formatTime = (ms: number) => `t${ms}`;

const SOUND = {
  surroundings: {
    isProduction: true,
    host: 'here',
    mustBeDurable: true,
    configuration: async () => [],
    certificateEndsAt: () => 60 * 86_400_000,
    disks: async () => [{ path: '/data', freeBytes: 5e10, totalBytes: 1e11, reserveBytes: 5e9 }],
  } satisfies Surroundings,
  examined: {
    damages: [] as string[],
    hasChecksums: true,
    bytes: 5e6,
  },
  /** Of the database; undefined without one. */
  aheadMs: -3 as number | undefined,
  risks: [] as { setting: string; value: string; risk: string; advice: string }[],
  depth: { ready: 0, awaitingReceipt: 4, oldestReadyAt: undefined as number | undefined },
  setAside: [] as object[],
  lines: [
    { name: 'sky', node: 'n1', state: 'up', detail: '', paused: false, hint: null, breakerOpenUntil: null },
  ] as Partial<CarrierLine>[],
  nodes: { nodes: [{ node: 'n1', host: 'a', state: 'running', isClockWrong: false }], drift: [] } as object,
  webhook: { isOff: false, offReason: null, pending: 7, trouble: null } as object,
  /** When the first record of its account is due. */
  dueAt: undefined as number | undefined,
  /** Messages that wait for a carrier. */
  held: 0,
  routes: [] as { index: number; via: string[] }[],
  /** The message of the one form. */
  rcs: { from: '0212345678', formatId: 'SS000000', content: { standalone: { text: 'a' } } } as object,
  objections: (() => []) as Deps['objections'],
};

/** A doctor of an installation that is sound but for `sick`. */
function doctorOf(sick: Partial<typeof SOUND>, clock = new ManualClock(0), health?: Deps['health']): Doctor {
  const world = { ...SOUND, ...sick };
  const account = { id: 'shop', blocked: false, settings: { reportMode: 'webhook' } };
  const store = {
    ping: async () => {},
    probeWrite: async () => {},
    accounts: { list: async () => [account] },
    durability: async () => ({ settings: { fsync: 'on' }, standbys: 0, risks: world.risks }),
    queue: {
      depth: async () => world.depth,
      listSetAside: async () => world.setAside,
      countReady: async () => world.held,
    },
    webhooks: {
      pending: async () => (world.dueAt === undefined ? [] : [{ account: 'shop', nextAt: world.dueAt }]),
    },
    upkeep: { examine: async () => world.examined },
    nodes: { time: async () => world.aheadMs && clock.now() + world.aheadMs },
  } as unknown as Deps['store'];
  return createDoctor({
    store,
    clock: new ClusterClock(clock),
    formatTime,
    carriers: {
      'GET /carriers': async () => ({ carriers: world.lines }),
      'GET /routes': async () => ({ routes: world.routes, otherwise: null }),
    } as unknown as Deps['carriers'],
    nodes: { 'GET /nodes': async () => world.nodes } as Deps['nodes'],
    webhooks: { 'GET /accounts/{id}/webhook': async () => world.webhook } as unknown as Deps['webhooks'],
    forms: {
      list: async () => ({
        forms: [{ account: 'shop', formId: 'F1', savedAt: 0, entries: [{ rcs: world.rcs }] }],
        next: undefined,
      }),
    } as unknown as Deps['forms'],
    objections: world.objections,
    surroundings: world.surroundings,
    ...(health && { health }),
    depth: 'thorough',
  });
}

function assertKorean(findings: readonly Finding[]): void {
  const said = findings.flatMap(({ detail, advice, effect }) => [detail, advice, effect]).filter(Boolean);
  assert.deepEqual(
    said.filter(text => koreanSentence(text) === undefined),
    [],
  );
}

test('reports every area as ok for a sound installation, in both languages', async () => {
  const findings = await doctorOf({})();
  assert.deepEqual([...new Set(findings.map(({ verdict }) => verdict))], ['ok']);
  assert.deepEqual(
    [...new Set(findings.map(({ area }) => area))],
    [
      'certificate',
      'store',
      'durability',
      'disk',
      'clock',
      'nodes',
      'carriers',
      'webhooks',
      'forms',
      'queue',
    ],
  );
  assertKorean(findings);
});

/** As the registry and the files of an account without either say it. */
const objecting: Deps['objections'] = (_account, step) => certainObjections(step);

const { surroundings, examined, depth } = SOUND;
const FAILURES: readonly (readonly [
  area: string,
  verdict: string,
  sick: Partial<typeof SOUND>,
  says: RegExp,
])[] = [
  [
    'certificate',
    'problem',
    { surroundings: { ...surroundings, certificateEndsAt: () => -1 } },
    /has expired/,
  ],
  [
    'certificate',
    'warning',
    { surroundings: { ...surroundings, certificateEndsAt: () => 86_400_000 } },
    /expires in 1 days/,
  ],
  ['store', 'problem', { examined: { ...examined, damages: ['page 7 is never used'] } }, /damaged: page 7/],
  ['store', 'warning', { examined: { ...examined, hasChecksums: false } }, /no page checksums/],
  [
    'durability',
    'problem',
    { risks: [{ setting: 'fsync', value: 'off', risk: 'the server may lose it', advice: '' }] },
    /^The setting fsync of PostgreSQL is off: the server/,
  ],
  [
    'disk',
    'problem',
    {
      surroundings: {
        ...surroundings,
        disks: async () => [{ path: '/data', freeBytes: 1e8, totalBytes: 1e9, reserveBytes: 0 }],
      },
    },
    /\/data has 100 MB of 1\.0 GB free$/,
  ],
  [
    'disk',
    'problem',
    {
      surroundings: {
        ...surroundings,
        disks: async () => [{ path: '/data', freeBytes: 4e9, totalBytes: 1e11, reserveBytes: 5e9 }],
      },
    },
    /\/data has 4\.0 GB of 100\.0 GB free: below 5\.0 GB reservations and uploads are refused$/,
  ],
  [
    'disk',
    'problem',
    {
      surroundings: {
        ...surroundings,
        disks: async () => [{ path: '/data', freeBytes: 1.2e6, totalBytes: 6.4e7, reserveBytes: 3.2e6 }],
      },
    },
    /\/data has 1\.2 MB of 64 MB free: below 3\.2 MB reservations/,
  ],
  [
    'forms',
    'warning',
    { rcs: { from: '0212345678', formatId: 'SS00000', body: { a: 'b' } }, objections: objecting },
    /^The form F1 of shop fails when it is sent: "formatId" SS00000 .* the nearest format is SS000000$/,
  ],
  ['clock', 'problem', { aheadMs: 61_000 }, /in doubt, so .* is 61 s behind the clock of the database/],
  ['clock', 'problem', { aheadMs: -60_000 }, /is 60000 ms ahead of the clock/],
  ['clock', 'warning', { aheadMs: 3000 }, /is 3000 ms behind the clock of PostgreSQL/],
  [
    'nodes',
    'warning',
    { nodes: { nodes: [{ node: 'n1', host: 'a', state: 'gone', isClockWrong: false }], drift: [] } },
    /n1 on a has stopped reporting/,
  ],
  [
    'nodes',
    'problem',
    { nodes: { nodes: [{ node: 'n1', host: null, state: 'drained', isClockWrong: false }], drift: [] } },
    /The node n1 is drained/,
  ],
  [
    'nodes',
    'warning',
    {
      nodes: {
        nodes: [{ node: 'n1', host: null, state: 'running', clockSkewMs: 9000, isClockWrong: true }],
        drift: [],
      },
    },
    /n1 is 9000 ms ahead of the clock of the store/,
  ],
  [
    'nodes',
    'warning',
    {
      nodes: {
        nodes: [{ node: 'n1', host: null, state: 'running', isClockWrong: false }],
        drift: [{ kind: 'carrier', name: 'sky', groups: [['n1', 'n2'], ['n3']] }],
      },
    },
    /differ in carrier sky: n1, n2 \| n3/,
  ],
  ['carriers', 'problem', { lines: [] }, /No carrier is configured/],
  ['carriers', 'warning', { lines: [{ name: 'sky', node: '', paused: false }] }, /No gateway is running/],
  [
    'carriers',
    'problem',
    { lines: [{ name: 'sky', node: 'n1', state: 'full', detail: 'bound', paused: false, hint: null }] },
    /sky is full: bound/,
  ],
  [
    'carriers',
    'problem',
    { lines: [{ name: 'sky', node: 'n1', state: 'down', detail: 'refused', paused: false, hint: null }] },
    /sky is down: refused/,
  ],
  [
    'carriers',
    'warning',
    { lines: [{ name: 'sky', node: 'n1', state: 'up', paused: true }] },
    /sky is paused$/,
  ],
  [
    'carriers',
    'problem',
    { lines: [{ name: 'sky', node: 'n1', state: 'down', detail: 'refused', paused: true }] },
    /sky is paused, and it is down: refused/,
  ],
  [
    'webhooks',
    'problem',
    { webhook: { isOff: true, offReason: 'The receiver answered 410', pending: 7, trouble: null } },
    /of shop is off and 7 records are waiting: The receiver/,
  ],
  [
    'webhooks',
    'warning',
    { webhook: { isOff: false, pending: 7, trouble: { since: 'noon', error: 'HTTP 500' } } },
    /has failed since noon and 7 records are waiting: HTTP 500/,
  ],
  ['webhooks', 'warning', { dueAt: -61_000 }, /^The webhook of shop is behind: 7 records are waiting$/],
  [
    'queue',
    'warning',
    { depth: { ...depth, ready: 3, oldestReadyAt: 0 } },
    /3 messages are ready, the oldest for 61 s/,
  ],
  ['queue', 'warning', { setAside: [{}] }, /could not be stored/],
];

test('reports each fault with its advice, in both languages', async () => {
  for (const [area, verdict, sick, says] of FAILURES) {
    const findings = await doctorOf(sick, new ManualClock('depth' in sick ? 61_000 : 0))();
    const found = findings.filter(finding => finding.verdict !== 'ok');
    assert.deepEqual(
      found.map(({ area: where, verdict: how }) => [where, how]),
      [[area, verdict]],
      String(says),
    );
    assert.match(found[0]?.detail ?? '', says);
    assertKorean(findings);
  }
});

test('reports a carrier that is down on several nodes once, with the first time and what waits for it', async () => {
  const down = { name: 'sky', state: 'down', detail: 'refused', paused: false, hint: null } as const;
  const carrierFindings = async (sick: Partial<typeof SOUND>) => {
    const findings = await doctorOf({ held: 12, ...sick })();
    assertKorean(findings);
    return findings
      .filter(({ area }) => area === 'carriers')
      .map(({ about, since, effect }) => [about, since, effect]);
  };
  const lines = [
    { ...down, node: 'n1', since: 't2' },
    { ...down, node: 'n2', since: 't1' },
    { ...down, node: 'n1', name: 'sea', state: 'up' as const },
  ];
  const routes = [
    { index: 0, via: ['sky'] },
    { index: 1, via: ['sky', 'sea'] },
    { index: 2, via: ['sky'] },
  ];
  assert.deepEqual(await carrierFindings({ lines, routes }), [
    ['sky', 't1', '12 messages are waiting; no other carrier serves routes[0], routes[2]'],
  ]);
  assert.deepEqual(await carrierFindings({ lines: lines.slice(0, 1), held: 1 }), [
    ['sky', 't2', '1 message is waiting; there is no other carrier'],
  ]);
});

test('names the state of a carrier or node in the words of the console', () => {
  const said = (text: string) => koreanSentence(text);
  assert.equal(said('The carrier sky is down: refused'), '중계사 sky의 상태는 장애입니다: refused');
  assert.equal(said('The node n1 is drained'), '노드 n1의 상태는 드레인 완료입니다');
});

test('reports that nothing is sent when the only node is drained', async () => {
  const drained = { node: 'n1', host: null, state: 'drained', since: 't1', isClockWrong: false };
  const told = async (...nodes: object[]) => {
    const findings = await doctorOf({ nodes: { nodes, drift: [] } })();
    assertKorean(findings);
    return findings
      .filter(({ area }) => area === 'nodes')
      .map(({ verdict, about, since, effect }) => [verdict, about, since, effect]);
  };
  assert.deepEqual(await told(drained), [['problem', 'n1', 't1', 'nothing is sent']]);
  assert.deepEqual(await told(drained, { ...drained, node: 'n2', state: 'running' }), [
    ['warning', 'n1', 't1', ''],
  ]);
});

test('the scope "pressing" leaves out the configuration, the forms and the size of the store', async () => {
  const areas = (await doctorOf({})('pressing')).map(({ area }) => area);
  assert.deepEqual(
    [...new Set(areas)],
    ['certificate', 'durability', 'disk', 'clock', 'nodes', 'carriers', 'webhooks', 'queue'],
  );
});

test('reports a wrong clock once for each machine, however many nodes run there', async () => {
  const wrong = (node: string, host: string) => ({
    ...{ node, host, state: 'running', clockSkewMs: 9000, isClockWrong: true },
  });
  const nodes = {
    nodes: [wrong('n1', 'here'), wrong('n2', 'here'), wrong('n3', 'there'), wrong('n4', 'there')],
    drift: [],
  };
  const findings = await doctorOf({ aheadMs: -9000, nodes })();
  assert.deepEqual(
    findings.filter(({ verdict }) => verdict !== 'ok').map(({ area, detail }) => [area, detail]),
    [
      ['clock', 'The clock of this machine is 9000 ms ahead of the clock of PostgreSQL'],
      ['nodes', 'The clock of the node n3 on there is 9000 ms ahead of the clock of the store'],
    ],
  );
});

test('reports a check that fails or never ends, and makes the other checks', async () => {
  const clock = new ManualClock(0);
  const examining = doctorOf(
    {
      surroundings: {
        ...surroundings,
        certificateEndsAt() {
          throw new Error('no such\nfile');
        },
        disks: () => new Promise(() => {}),
      },
    },
    clock,
  )();
  let findings: readonly Finding[] | undefined;
  void examining.then(found => {
    findings = found;
  });
  while (findings === undefined) {
    await new Promise(setImmediate);
    clock.advance(30_000);
  }
  const said = (area: string) => findings?.find(finding => finding.area === area)?.detail;
  assert.equal(said('certificate'), 'The check failed: no such file');
  assert.equal(said('disk'), 'The check did not end within 30 s');
  assert.match(said('queue') ?? '', /0 messages are ready/);
});

test('reports at most 20 findings of an area, and counts the rest', async () => {
  const lines = Array.from({ length: 500 }, (_, index) => ({
    ...({ name: `c${index}`, node: 'n1', state: 'up', paused: true } as const),
  }));
  const findings = (await doctorOf({ lines })()).filter(({ area }) => area === 'carriers');
  assert.equal(findings.length, 21);
  assert.equal(findings.at(-1)?.detail, 'There are 480 more such findings');
});

test('while the store is away, reports what the node knows without it', async () => {
  const health = (state: string, carriers: object[]) => async () =>
    ({
      store: { state, since: 'noon', detail: 'ECONNREFUSED', advice: '' },
      queue: { ready: 12 },
      inFlight: 3,
      carriers,
    }) as unknown as Awaited<ReturnType<NonNullable<Deps['health']>>>;
  const told = async (state: string, carriers: object[]) => {
    const findings = await doctorOf({}, undefined, health(state, carriers))();
    assertKorean(findings.filter(({ area }) => area !== 'disk'));
    return findings.map(({ area, verdict, detail }) => `${area} ${verdict}: ${detail}`);
  };
  const away = await told('away', [{ name: 'sky', state: 'down', detail: 'refused' }]);
  assert.deepEqual(
    away.map(line => line.split(':')[0]),
    ['certificate ok', 'store problem', 'store warning', 'disk ok', 'carriers problem', 'queue ok'],
  );
  assert.match(away.join('\n'), /has not answered since noon: ECONNREFUSED/);
  assert.match(away.join('\n'), /12 messages were ready when .* 3 parts wait/);
  const full = await told('full', [{ name: 'sky', state: 'stuck', detail: '' }]);
  assert.match(full.join('\n'), /The disk of the store has been full since noon/);
  assert.ok(full.includes('carriers ok: The carrier is up'));
});

/**
 * Ten troubles, each caused for real: what the log, `doctor`, `status` and the alerts say of it, and when, is what the table in
 * docs/troubles.md says. Time is that of the gateway, which the test turns.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import test, { type TestContext } from 'node:test';
import { STATUS } from '../../src/carriers/smpp/statuses.ts';
import { ManualClock } from '../../src/platform/clock.ts';
import { TROUBLES, type Trouble, type TroubleName } from '../../tools/troubles.ts';
import { json, startProvider } from '../carriers/http/provider-server.ts';
import { pathOf, unlessInstalled } from '../harness/debian.ts';
import { freshStore } from '../harness/engines.ts';
import { Client, type TestGateway, testGateway } from '../harness/gateway.ts';
import type { Env } from '../harness/process.ts';
import { answerWith, startReceiver } from '../harness/receiver.ts';
import { configFile, scratchDirectory } from '../harness/scratch.ts';
import { accept, ScriptedCarrier } from '../harness/scripted-carrier.ts';
import { Smsc } from '../harness/smsc/smsc.ts';
import { TcpProxy } from '../harness/tcp-proxy.ts';
import { until } from '../harness/until.ts';
import { smallDisk } from './small-disk.ts';
import { isLike, SCRAPE_SECONDS, Witness } from './witness.ts';

interface Scene {
  readonly gateway: TestGateway;
  readonly client: Client;
  readonly cause: () => unknown;
  /** Of another node: it lives beside the gateway, as long as its clock is turned. */
  readonly other?: { readonly live: () => Promise<unknown>; readonly isUp: () => boolean };
}

type Stage = (t: TestContext, witness: Witness) => Promise<Scene | undefined>;

/** Before the trouble: two scrapes see what grows. */
const WELL_SECONDS = 30;
/** When the table says that an alert fires, it does; so long before it does not. */
const MINUTE = 60;
/** A trouble lasts until its last alert has fired, and a little longer. */
const lastsSeconds = ({ alerts }: Trouble) => Math.max(...Object.values(alerts)) + SCRAPE_SECONDS;
/** Leases of nodes end by the clock of PostgreSQL, which no test turns. */
const LEASE_SECONDS = 5;

/** On SQLite unless it is told otherwise, in memory where that can be had: minutes of commits would wait for the disk. */
function openNode(t: TestContext, witness: Witness, env: Env, parts = {}): Promise<TestGateway> {
  const store = env.BONGSU_DATABASE_URL
    ? {}
    : { BONGSU_DATABASE_URL: '', BONGSU_DATA_DIR: smallDisk(64) ?? scratchDirectory() };
  const settings = { BONGSU_NODE_NAME: 'n1', BONGSU_TOKEN_LIFETIME: '90d', ...store, ...env };
  return testGateway(t, settings, new ManualClock(), { log: witness.log, ...parts });
}

const routedBySky = (carrier: string) =>
  configFile(`carriers:\n  sky: ${carrier}\nroutes:\n  - { channel: sms, via: [sky] }\n`);

function withSmsc(cause: (smsc: Smsc) => unknown): Stage {
  return async (t, witness) => {
    const smsc = await Smsc.listen();
    t.after(() => smsc.close());
    const path = routedBySky(
      `{ kind: smpp, host: 127.0.0.1, port: ${smsc.port}, systemId: bongsu, password: secret }`,
    );
    const gateway = await openNode(t, witness, { BONGSU_CONFIG: path });
    await until('it is bound', () => smsc.receiver);
    return { gateway, client: await gateway.account('shop'), cause: () => cause(smsc) };
  };
}

function withProvider(status: number): Stage {
  return async (t, witness) => {
    let answer = 200;
    const provider = await startProvider(t, ({ body }, response) => json(response, answer, JSON.parse(body)));
    const path = routedBySky(`
    kind: http
    allowPrivate: true
    submit: { url: "${provider.url}/messages", json: { id: "{{attemptId}}", to: "{{to.international}}", text: "{{text}}" } }
    channels: { sms: {} }
    outcomes:
      - { status: 2xx, pointer: /id, result: accepted, id: /id }
      - { status: 4xx, result: permanent, reportCode: 23014 }`);
    const gateway = await openNode(t, witness, { BONGSU_CONFIG: path });
    const cause = () => {
      answer = status;
    };
    return { gateway, client: await gateway.account('shop'), cause };
  };
}

const STAGES: Readonly<Record<TroubleName, Stage>> = {
  bindsRefused: withSmsc(smsc => {
    smsc.behaviour = { bind: () => STATUS.invalidPassword };
    smsc.drop();
  }),
  linkCut: withSmsc(smsc => smsc.close()),
  submitsUnanswered: withSmsc(smsc => {
    smsc.behaviour = { submit: () => ({ kind: 'silent' }) };
  }),
  accountRefused: withSmsc(smsc => {
    smsc.behaviour = { submit: () => ({ kind: 'refuse', status: STATUS.invalidPassword }) };
  }),
  http401: withProvider(401),
  http500: withProvider(500),

  async receiverDown(t, witness) {
    const receiver = await startReceiver(t);
    const gateway = await openNode(t, witness, { BONGSU_WEBHOOK_PRIVATE: 'allow' });
    const client = await gateway.account('shop', { reportMode: 'webhook', webhookUrl: receiver.url });
    const cause = () => {
      receiver.respond = answerWith(503);
    };
    return { gateway, client, cause };
  },

  async databaseAway(t, witness) {
    const env = await freshStore(t, 'postgres');
    const ends: (() => unknown)[] = [];
    const later = { after: (end: () => unknown) => void ends.push(end) };
    const { proxy, url } = await TcpProxy.before(later, env.BONGSU_DATABASE_URL ?? '');
    t.after(() => proxy.heal());
    const gateway = await openNode(t, witness, { ...env, BONGSU_DATABASE_URL: url });
    // After the gateway, which closes with its database.
    t.after(() => Promise.all(ends.map(end => end())));
    const cause = () => {
      proxy.refuse();
      proxy.cut();
    };
    return { gateway, client: await gateway.account('shop'), cause };
  },

  async diskFull(t, witness) {
    const directory = smallDisk(16);
    if (directory === undefined) return undefined;
    const gateway = await openNode(t, witness, { BONGSU_DATA_DIR: directory });
    const cause = () => {
      // To the last byte: what was left over would let small writes pass.
      for (const bytes of [64 * 1024, 1024, 1]) {
        assert.throws(() => {
          for (;;) appendFileSync(join(directory, 'filler'), Buffer.alloc(bytes));
        }, /ENOSPC/);
      }
    };
    return { gateway, client: await gateway.account('shop'), cause };
  },

  async nodeKilled(t, witness) {
    const store = await freshStore(t, 'postgres');
    const env = { ...store, BONGSU_CONFIG: routedBySky('{ kind: simulator }') };
    const [silent, sky] = [new ScriptedCarrier('sky'), new ScriptedCarrier('sky')];
    sky.reply = accept;
    const playedBy = (carrier: ScriptedCarrier) => ({
      createCarrier: ({ name }: { name: string }) => (name === 'sky' ? carrier : new ScriptedCarrier(name)),
    });
    const second = await openNode(t, new Witness(), { ...env, BONGSU_NODE_NAME: 'n2' }, playedBy(silent));
    const gateway = await openNode(t, witness, env, playedBy(sky));
    const client = await gateway.account('shop');
    const { nodes } = gateway.gateway.store;
    let secondsDead: number | undefined;
    const cause = async () => {
      await new Client(second, 'shop', client.token).sms();
      await until('it submits a message', () => silent.submitted.length > 0);
      secondsDead = 0;
    };
    const live = async () => {
      if (secondsDead === undefined) second.clock.advance(1000);
      else if (++secondsDead === LEASE_SECONDS) {
        const its = (await nodes.list()).find(({ profile }) => profile.name === 'n2') ?? assert.fail();
        await nodes.heartbeat(its.node, 0, its.profile);
      }
    };
    return { gateway, client, cause, other: { live, isUp: () => secondsDead === undefined } };
  },
};

/** What is said of the small disks and databases of tests without any trouble. */
const ALWAYS = /^(notDurable|dataDirectoryOpen|warning (durability|configuration): .*|problem disk: .*)$/;

/** Each thing that the console shows, with the name of its page. */
function shownByConsole({ console: text }: Trouble): readonly string[] {
  const [page, shows] = text.replace(/, with the .*/, '').split(': ');
  return shows === undefined ? [text] : shows.split(', later ').map(each => `${page}: ${each}`);
}

const witnessed = new Map<TroubleName, Witness>();

for (const [name, stage] of Object.entries(STAGES) as [TroubleName, Stage][]) {
  const trouble: Trouble = TROUBLES[name];
  test(`${trouble.what}: operators are told`, async t => {
    const witness = new Witness();
    const scene = await stage(t, witness);
    if (!scene) return t.skip('no disk may be mounted here');
    const { gateway, client, cause, other } = scene;
    const ups = { 'up{instance="n1",job="bongsu"}': () => 1 };
    witness.alsoScrape({
      ...ups,
      ...(other && { 'up{instance="n2",job="bongsu"}': () => Number(other.isUp()) }),
    });
    let sent = 0;
    const each = async () => {
      await other?.live();
      await client.sms({ text: `message ${sent++}` });
    };
    await witness.watch(gateway, WELL_SECONDS, each);
    const early = [...witness.said.log.keys(), ...witness.said.doctor.keys()];
    assert.deepEqual(
      early.filter(says => !ALWAYS.test(says)),
      [],
      'all is well before',
    );
    await cause();
    witness.begin();
    await witness.watch(gateway, lastsSeconds(trouble), each);
    for (const place of ['log', 'doctor', 'status'] as const) {
      const [says, withinSeconds] = trouble[place] ?? [];
      if (says === undefined || withinSeconds === undefined) continue;
      const after = witness.firstTime(place, says);
      assert.ok(
        after !== undefined && after <= withinSeconds,
        `${place}: ${says}: after ${after} s; ${witness}`,
      );
    }
    for (const shows of shownByConsole(trouble))
      assert.ok(witness.firstTime('console', shows) !== undefined, `console: ${shows}; ${witness}`);
    const [finding, , later = finding] = trouble.doctor;
    const isOfIt = (says: string) => says.startsWith(finding.slice(0, finding.indexOf(':')));
    for (const says of [...witness.said.doctor.keys()].filter(isOfIt))
      assert.ok(isLike(says, finding) || isLike(says, later), `doctor says also: ${says}`);
    assert.ok(
      ![...witness.said.status.keys()].some(says => says.includes('no node runs it')),
      String(witness),
    );
    if (trouble.status === null) assert.deepEqual([...witness.said.status.keys()], [], 'status says nothing');
    witnessed.set(name, witness);
  });
}

test('the alerts that the table names fire, when it says, and no others', {
  skip: unlessInstalled('promtool'),
}, () => {
  const at = (seconds: number) => `${WELL_SECONDS + seconds}s`;
  const one = (alert: string) => ({ labels: `{alertname="${alert}"}`, value: 1 });
  const firing = (more = '') => `group by (alertname) (ALERTS{alertstate="firing"${more}})`;
  const tests = [...witnessed].map(([name, witness]) => {
    const trouble: Trouble = TROUBLES[name];
    const { alerts } = trouble;
    const each = Object.entries(alerts).flatMap(([alert, after]) => {
      const expr = firing(`,alertname="${alert}"`);
      return [
        { expr, eval_time: at(Math.max(0, after - MINUTE)), exp_samples: [] },
        { expr, eval_time: at(after), exp_samples: [one(alert)] },
      ];
    });
    return {
      name,
      interval: `${SCRAPE_SECONDS}s`,
      input_series: witness.seriesForPromtool(),
      promql_expr_test: [
        ...each,
        { expr: firing(), eval_time: at(lastsSeconds(trouble)), exp_samples: Object.keys(alerts).map(one) },
      ],
    };
  });
  const file = join(scratchDirectory(), 'troubles.yml');
  const rules = resolve('deploy/monitoring/bongsu-alerts.yml');
  // JSON is YAML.
  writeFileSync(
    file,
    JSON.stringify({ rule_files: [rules], evaluation_interval: `${SCRAPE_SECONDS}s`, tests }),
  );
  execFileSync(pathOf('promtool') ?? 'promtool', ['test', 'rules', file], {
    stdio: 'pipe',
    encoding: 'utf8',
  });
});

/** What deploy/monitoring/ says can be read by Prometheus, fires when it should, and names nothing that is not there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { createMetrics } from '../../src/observe/metrics.ts';
import { pathOf, unlessInstalled } from '../harness/debian.ts';
import { scratchDirectory } from '../harness/scratch.ts';

const FOLDER = fileURLToPath(new URL('../../deploy/monitoring/', import.meta.url));
const skip = unlessInstalled('promtool');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

interface RuleTest {
  readonly alertname: string;
  readonly exp_alerts: readonly unknown[];
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

function fileNamed(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

function rules(): readonly Rule[] {
  return parse(fileNamed('bongsu-alerts.yml')).groups.flatMap((group: { rules: Rule[] }) => group.rules);
}

function panels(): readonly Panel[] {
  return JSON.parse(fileNamed('grafana-dashboard.json')).panels;
}

/** Grafana puts times and choices in; any will do. */
function expressions(): string[] {
  const shown = panels().flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  const filled = shown.map(expr =>
    expr.replaceAll(/\$__(rate_interval|range)/g, '5m').replaceAll(/\$(instance|carrier)/g, '.*'),
  );
  return [...rules().map(({ expr }) => expr), ...filled];
}

function promtool(...args: string[]): void {
  execFileSync(pathOf('promtool') ?? 'promtool', args, { cwd: FOLDER, stdio: 'pipe' });
}

test('promtool reads rules and configuration, and every rule fires on what it is for', { skip }, () => {
  promtool('check', 'config', 'prometheus.yml');
  promtool('test', 'rules', 'bongsu-alerts.test.yml');
});

test('every rule is tested with what it fires on and with a node that is well, and says what to do', () => {
  const tests: readonly RuleTest[] = parse(fileNamed('bongsu-alerts.test.yml')).tests.flatMap(
    (one: { alert_rule_test: RuleTest[] }) => one.alert_rule_test,
  );
  for (const { alert, labels, annotations } of rules()) {
    const counts = tests.filter(one => one.alertname === alert).map(one => one.exp_alerts.length);
    assert.ok(counts.includes(0) && counts.some(count => count > 0), `${alert}: ${counts}`);
    assert.match(labels.severity, /^(page|ticket)$/, alert);
    assert.ok(annotations.summary && annotations.action, alert);
  }
});

test('what Alertmanager is told to inhibit are alerts that there are', () => {
  const { inhibit_rules } = parse(fileNamed('alertmanager.yml'));
  const known = rules().map(({ alert }) => alert);
  for (const { source_matchers, target_matchers, equal = [] } of inhibit_rules) {
    const [, source = ''] = /^alertname = "(\w+)"$/.exec(source_matchers[0]) ?? [];
    assert.ok(known.includes(source), source);
    const [, targets = ''] = /^alertname =~ "(.+)"$/.exec(target_matchers[0]) ?? [];
    const named = known.filter(alert => new RegExp(`^(?:${targets})$`).test(alert));
    assert.ok(
      named.length > 0 && !named.includes('BongsuStoreDown') === (source === 'BongsuStoreDown'),
      targets,
    );
    const list = /^Bongsu\((.+)\)$/.exec(targets)?.[1]?.split('|') ?? [];
    assert.ok(
      list.every(name => known.includes(`Bongsu${name}`)),
      targets,
    );
    assert.ok(equal.every((label: string) => label === 'instance'));
  }
});

test('promtool reads every expression of the dashboard', { skip }, () => {
  const file = join(scratchDirectory(), 'rules.yml');
  const recorded = expressions().map((expr, index) => ({ record: `shown:${index}`, expr }));
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'shown', rules: recorded }] }));
  promtool('check', 'rules', file);
});

test('every metric that rules and dashboard name is there, with the labels they use', async () => {
  const { registry } = createMetrics();
  const text = await registry.metrics();
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  const labels = new Map(
    registry
      .getMetricsAsArray()
      .map(metric => [metric.name, 'labelNames' in metric ? (metric.labelNames as string[]) : []]),
  );
  for (const expr of expressions()) {
    for (const [, named = '', matchers = ''] of expr.matchAll(/\b(bongsu_\w+)(?:\{([^}]*)\})?/g)) {
      const name = types.has(named) ? named : named.replace(/_(bucket|sum|count)$/, '');
      assert.ok(types.has(name), `${named} in ${expr}`);
      assert.equal(types.get(name) === 'histogram', name !== named, `${named} in ${expr}`);
      const used = [...matchers.matchAll(/(\w+)(?==)/g)].map(([label]) => label);
      const known = ['instance', 'job', ...(labels.get(name) ?? [])];
      assert.deepEqual(
        used.filter(label => !known.includes(label)),
        [],
        `labels of ${named} in ${expr}`,
      );
    }
    // Those that sums are made by, and Prometheus adds.
    const kept = [...expr.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const known = new Set(['instance', 'le', ...[...labels.values()].flat()]);
    assert.deepEqual(
      kept.filter(label => !known.has(label)),
      [],
      expr,
    );
  }
});

test('the panels of the dashboard have a title, a meaning, and a place of their own', () => {
  const all = panels();
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  const taken = new Set<string>();
  for (const { type, title, description, targets = [], gridPos } of all) {
    assert.ok(title && (type === 'row' || (description && targets.length > 0)), title);
    const { x, y, w, h } = gridPos;
    assert.ok(x + w <= 24, title);
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        const place = `${column} ${line}`;
        assert.ok(!taken.has(place), `${title} covers another`);
        taken.add(place);
      }
    }
  }
});

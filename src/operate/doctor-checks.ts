/**
 * The checks of `doctor`, one for each area. Each makes its own queries, and is independent of the others. None changes
 * anything, except the row that proves that the store accepts writes.
 */
import type { Forms } from '../accept/forms.ts';
import type { FindObjections } from '../accept/network-objections.ts';
import { isCertain, isFilledIn } from '../domain/delivery/network-objections.ts';
import { compileFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import type { CarrierLine } from '../operations/carriers.ts';
import type { Area, HealthView, Scope } from '../operations/health.ts';
import type { NodeLine } from '../operations/nodes.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { DiskSpace } from '../platform/disk.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import { allUp, carrierFindings, oncePerCarrier } from './carrier-findings.ts';
import type { Carriers } from './carriers.ts';
import { type CheckResult, MOST_LISTED, ok, problem, shortened, warning } from './finding.ts';
import { driftFinding, nodeFindings, nodeName } from './node-findings.ts';
import type { Nodes } from './nodes.ts';
import { shownDepth } from './queue.ts';
import type { Webhooks } from './webhooks.ts';

export interface Disk extends DiskSpace {
  readonly path: string;
  /** If less is free, reservations and uploads are refused. */
  readonly reserveBytes: number;
}

/** What is known of the process and its machine; the store does not know it. */
export interface Surroundings {
  readonly isProduction: boolean;
  /** The name of this machine. */
  readonly host: string;
  /** Whether the store must keep what it acknowledged. */
  readonly mustBeDurable: boolean;
  configuration(): Promise<readonly CheckResult[]>;
  /** When the certificate of this server expires; undefined if it has none. Throws if it cannot be used. */
  certificateEndsAt(): number | undefined;
  /** The disks of the directories that the gateway writes to. */
  disks(): Promise<readonly Disk[]>;
}

const DAY_MS = 86_400_000;
const MB = 1_000_000;
const GB = 1_000 * MB;
/** Largest accepted difference of two clocks: idempotency, deadlines and tokens depend on them. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_PROBLEM_MS = 30_000;
const QUEUE_WARNING_MS = 60_000;
const QUEUE_PROBLEM_MS = 600_000;
/** A record that has been due for so long waits behind others that are not delivered either. */
const WEBHOOK_BEHIND_MS = 60_000;
const CERTIFICATE_WARNING_DAYS = 14;
/** Each takes several queries. */
const MOST_WEBHOOKS = 200;
/** The newest ones; older ones are probably no longer used. */
const MOST_FORMS = 200;
/** Messages that wait for a carrier. */
const MOST_COUNTED = 10_000;

export interface CheckDeps {
  readonly store: Pick<
    Store,
    'accounts' | 'durability' | 'nodes' | 'ping' | 'probeWrite' | 'queue' | 'upkeep' | 'webhooks'
  >;
  readonly clock: ClusterClock;
  readonly formatTime: FormatTime;
  readonly carriers: Pick<Carriers, 'GET /carriers' | 'GET /routes'>;
  readonly nodes: Pick<Nodes, 'GET /nodes'>;
  readonly webhooks: Pick<Webhooks, 'GET /accounts/{id}/webhook'>;
  readonly forms: Pick<Forms, 'list'>;
  readonly objections: FindObjections;
  readonly surroundings: Surroundings;
  /** Whether the whole store is read for damage. */
  readonly depth: 'quick' | 'thorough';
}

export type Checks = {
  readonly [A in Area]: (scope: Scope, health: HealthView | undefined) => Promise<readonly CheckResult[]>;
};

export function createChecks(deps: CheckDeps): Checks {
  const { store, clock, formatTime, nodes, carriers, webhooks, forms, objections, surroundings, depth } =
    deps;

  return {
    configuration: () => surroundings.configuration(),

    async certificate() {
      const endsAt = surroundings.certificateEndsAt();
      if (endsAt === undefined) return [];
      const days = Math.floor((endsAt - clock.now()) / DAY_MS);
      const renew = 'Replace the files of certificate and key, then send SIGHUP.';
      if (days < 0) return [problem('The certificate has expired', renew)];
      const detail = `The certificate expires in ${days} days`;
      return [days < CERTIFICATE_WARNING_DAYS ? warning(detail, renew) : ok(detail)];
    },

    async store() {
      const began = clock.monotonic();
      await store.ping();
      await store.probeWrite();
      const took = Math.round(clock.monotonic() - began);
      const answers = ok(`The store answers and accepts writes; both took ${took} ms`);
      // Reading a large store takes minutes; this check has no time limit.
      const { damages, hasChecksums, bytes } = await store.upkeep.examine(depth);
      const damaged = damages
        .slice(0, MOST_LISTED)
        .map(damage =>
          problem(
            `The store is damaged: ${damage}`,
            'Stop the gateway, keep a copy of the files, and restore a backup: docs/backup.md.',
          ),
        );
      if (damaged.length > 0) return [answers, ...damaged];
      const size = `${(bytes / MB).toFixed(0)} MB`;
      const isProven = depth === 'thorough' || hasChecksums !== undefined;
      const sound = ok(isProven ? `No damage was found in ${size}` : `The size of the store is ${size}`);
      const unchecked = warning(
        'PostgreSQL has no page checksums: damage on the disk is noticed late',
        'Stop PostgreSQL and run pg_checksums --enable.',
      );
      return [answers, sound, ...(hasChecksums === false ? [unchecked] : [])];
    },

    async durability() {
      const { risks, settings } = await store.durability();
      const say = surroundings.mustBeDurable ? problem : warning;
      if (risks.length > 0) {
        return risks.map(({ setting, value, risk, advice }) =>
          say(`The setting ${setting} of PostgreSQL is ${value || 'empty'}: ${risk}`, advice),
        );
      }
      const shown = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
      return [ok(`Acknowledged messages are durable: ${shown.join(', ') || 'every commit is on disk'}`)];
    },

    async disk() {
      return (await surroundings.disks()).map(({ path, freeBytes, totalBytes, reserveBytes }) => {
        const share = totalBytes === 0 ? 1 : freeBytes / totalBytes;
        const detail = `${path} has ${sizeText(freeBytes)} of ${sizeText(totalBytes)} free`;
        const advice =
          'Free space, enlarge the disk, or shorten the retention: BONGSU_INQUIRY_WINDOW, BONGSU_TEXT_RETENTION.';
        if (freeBytes < reserveBytes) {
          const rule = `below ${sizeText(reserveBytes)} reservations and uploads are refused`;
          return problem(`${detail}: ${rule}`, advice);
        }
        if (share < 0.02 || freeBytes < 200 * MB) return problem(detail, advice);
        return share < 0.1 || freeBytes < GB ? warning(detail, advice) : ok(detail);
      });
    },

    async clock() {
      await clock.synchronize(() => store.nodes.time());
      const { doubt, offReason, skewMs } = clock;
      const advice = 'Let NTP set the clocks of all machines.';
      if (doubt !== undefined) {
        const say = offReason === undefined ? warning : problem;
        return [say(`The clock is in doubt, so nothing is deleted or expired for now: ${doubt}`, advice)];
      }
      if (skewMs === undefined) return [ok('The store uses the clock of this machine')];
      const detail = `The clock of this machine is ${apart(skewMs)} the clock of PostgreSQL`;
      if (Math.abs(skewMs) > CLOCK_PROBLEM_MS) return [problem(detail, advice)];
      return [Math.abs(skewMs) > CLOCK_WARNING_MS ? warning(detail, advice) : ok(detail)];
    },

    async nodes() {
      const { nodes: lines, drift } = await nodes['GET /nodes']();
      if (lines.length === 0) return [];
      const isAnySending = lines.some(({ state }) => state === 'running');
      const findings = [
        ...lines.flatMap(line => nodeFindings(line, isAnySending)),
        ...clockFindings(lines),
        ...drift.map(driftFinding),
      ];
      if (findings.length > 0) return shortened(findings);
      return [
        ok(
          lines.length === 1
            ? 'The node is alive'
            : `All ${lines.length} nodes are alive and have the same settings`,
        ),
      ];
    },

    async carriers() {
      const { carriers: lines } = await carriers['GET /carriers']();
      if (lines.length === 0) {
        const say = surroundings.isProduction ? problem : warning;
        return [
          say(
            'No carrier is configured: nothing can be sent',
            'Configure carriers in bongsu.yaml; "bongsu init" writes an example.',
          ),
        ];
      }
      const running = lines.filter(({ node, state }) => node !== '' && state !== 'gone');
      if (running.length === 0) {
        return [warning('No gateway is running on this store', 'Start one with "bongsu serve".')];
      }
      const findings = oncePerCarrier(lines.flatMap(carrierFindings));
      if (findings.length === 0) return [allUp(running.length)];
      const listed = findings.slice(0, MOST_LISTED).map(async each => {
        return each.isHeldUp ? { ...each, effect: await effectOf(each.about, lines) } : each;
      });
      return shortened([...(await Promise.all(listed)), ...findings.slice(MOST_LISTED)]);
    },

    async webhooks(scope) {
      const all = (await store.accounts.list()).filter(
        ({ blocked, settings }) => !blocked && settings.reportMode === 'webhook',
      );
      // Webhooks with waiting records come first: the others have nothing to deliver yet.
      const dueAt = new Map((await store.webhooks.pending()).map(({ account, nextAt }) => [account, nextAt]));
      const waiting = all.filter(({ id }) => dueAt.has(id));
      const rest = scope === 'pressing' ? [] : all.filter(({ id }) => !dueAt.has(id));
      const checked = [...waiting, ...rest].slice(0, MOST_WEBHOOKS);
      const findings: CheckResult[] = [];
      for (const { id } of checked) {
        const view = await webhooks['GET /accounts/{id}/webhook']({ id });
        const due = dueAt.get(id) ?? Number.POSITIVE_INFINITY;
        // The account was deleted meanwhile.
        if (view instanceof Problem) continue;
        if (view.isOff) {
          findings.push(
            problem(
              `The webhook of ${id} is off and ${view.pending} records are waiting: ${view.offReason}`,
              'See docs/webhooks.md; "bongsu webhook resume" turns it on again.',
              { about: id },
            ),
          );
        } else if (view.trouble) {
          findings.push(
            warning(
              `The webhook of ${id} has failed since ${view.trouble.since} and ${view.pending} records are waiting: ${view.trouble.error}`,
              'Ask the operator of the receiver; "bongsu webhook test" makes a test call.',
              { about: id, since: view.trouble.since },
            ),
          );
        } else if (clock.now() - due > WEBHOOK_BEHIND_MS) {
          findings.push(
            warning(
              `The webhook of ${id} is behind: ${view.pending} records are waiting`,
              'Its receiver is slow or fails; "bongsu webhook test" makes a test call.',
              { about: id, since: formatTime(due) },
            ),
          );
        }
      }
      if (findings.length > 0) return shortened(findings);
      return [
        ok(
          `${all.length} accounts have webhooks; none of the ${checked.length} that were checked is failing`,
        ),
      ];
    },

    async forms() {
      const { forms: newest } = await forms.list({ limit: MOST_FORMS });
      const findings: CheckResult[] = [];
      for (const { account, formId, entries } of newest) {
        const compiled = compileFlow(entries, 'messageForm');
        // A form that was saved under other rules is refused when it is used.
        if (compiled instanceof Problem) continue;
        const found = await Promise.all(compiled.flow.map(step => objections(account, step)));
        const details = found.flat().filter(objection => isCertain(objection) && isFilledIn(objection));
        if (details.length === 0) continue;
        const first = details[0]?.detail ?? '';
        findings.push(
          warning(
            `The form ${formId} of ${account} fails when it is sent: ${first}`,
            'Upload the image again, or correct the formatId, and save the form.',
          ),
        );
      }
      return findings.length > 0
        ? shortened(findings)
        : [ok(`None of ${newest.length} forms uses a missing image or format`)];
    },

    async queue(scope, health) {
      // Counting takes PostgreSQL a while.
      const isCounted = scope === 'pressing' && health !== undefined;
      const { ready, waiting, oldestReadyAt } = isCounted
        ? health.queue
        : shownDepth(await store.queue.depth());
      const ageMs = oldestReadyAt === undefined ? 0 : Math.max(0, clock.now() - oldestReadyAt);
      const messages = ready === 1 ? '1 message is' : `${ready} messages are`;
      const detail = `${messages} ready, the oldest for ${Math.round(ageMs / 1000)} s; ${waiting} wait for a receipt`;
      const since = oldestReadyAt === undefined ? null : formatTime(oldestReadyAt);
      const advice =
        'A carrier that is down, slow or paused holds them up: see "bongsu carrier list" and docs/troubles.md.';
      const [aside] = await store.queue.listSetAside(1);
      return [
        ageMs > QUEUE_PROBLEM_MS
          ? problem(detail, advice, { since })
          : ageMs > QUEUE_WARNING_MS
            ? warning(detail, advice, { since })
            : ok(detail),
        ...(aside
          ? [
              warning(
                'Answers or receipts could not be stored',
                'Look at them with "bongsu queue set-aside": the cause is a bug or a damaged store.',
              ),
            ]
          : []),
      ];
    },
  };

  /** What waits for a carrier that takes no messages. */
  async function effectOf(name: string, lines: readonly CarrierLine[]): Promise<string> {
    const waiting = await store.queue.countReady(name, MOST_COUNTED);
    const { routes } = await carriers['GET /routes']();
    const alone = routes
      .filter(({ via }) => via.every(each => each === name))
      .map(({ index }) => `routes[${index}]`);
    const clauses = [
      waiting > 0 && (waiting === 1 ? '1 message is waiting' : `${waiting} messages are waiting`),
      alone.length > 0 && `no other carrier serves ${alone.join(', ')}`,
      lines.every(line => line.name === name) && 'there is no other carrier',
    ];
    return clauses.filter(Boolean).join('; ');
  }

  /** One for each machine. The area `clock` reports this machine. */
  function clockFindings(lines: readonly NodeLine[]): CheckResult[] {
    const isOwnReported = clock.doubt !== undefined || Math.abs(clock.skewMs ?? 0) > CLOCK_WARNING_MS;
    const reported = new Set<string | null>(isOwnReported ? [surroundings.host] : []);
    return lines.flatMap(line => {
      const { node, host, state, clockSkewMs, isClockWrong } = line;
      if (!isClockWrong || clockSkewMs === null || state === 'gone' || (host !== null && reported.has(host)))
        return [];
      reported.add(host);
      const detail = `The clock of the node ${nodeName(node, host)} is ${apart(clockSkewMs)} the clock of the store`;
      return [warning(detail, 'Let NTP set the clocks of all machines.')];
    });
  }
}

/** A difference of clocks for people. */
function apart(ms: number): string {
  return `${Math.abs(ms)} ms ${ms < 0 ? 'behind' : 'ahead of'}`;
}

/** To a tenth, in a unit of which there is more than one. */
function sizeText(bytes: number): string {
  return bytes < GB ? `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB` : `${(bytes / GB).toFixed(1)} GB`;
}

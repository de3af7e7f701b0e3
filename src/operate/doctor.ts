/**
 * What is wrong with an installation, and what to do about it: looked at on demand, area by area. A check that fails is a
 * finding itself; one that gets no answer is given up. Nothing is changed but the row that proves that the store takes
 * writes.
 */
import type { Forms } from '../accept/forms.ts';
import type { FindObjections } from '../accept/network-objections.ts';
import { FULL_ADVICE } from '../deliver/carrier-health.ts';
import { isCertain, isFilledIn } from '../domain/delivery/network-objections.ts';
import { compileFlow } from '../domain/request/omni.ts';
import { Problem } from '../domain/request/problem.ts';
import type { CarrierLine } from '../operations/carriers.ts';
import type { Drift, NodeLine } from '../operations/nodes.ts';
import type { ClusterClock } from '../platform/cluster-clock.ts';
import type { DiskSpace } from '../platform/disk.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Store } from '../store/store.ts';
import type { Carriers } from './carriers.ts';
import type { Nodes } from './nodes.ts';
import { shownDepth } from './queue.ts';
import type { Health } from './readiness.ts';
import type { Webhooks } from './webhooks.ts';

export const AREAS = [
  'configuration',
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
] as const;
export type Area = (typeof AREAS)[number];

export const VERDICTS = ['ok', 'warning', 'problem'] as const;
export type Verdict = (typeof VERDICTS)[number];

export interface Finding {
  readonly area: Area;
  readonly verdict: Verdict;
  readonly detail: string;
  /** What to do; empty if there is nothing to do. */
  readonly advice: string;
  /** The carrier, account or node that it is about, by its area; null if it is about none. */
  readonly about: string | null;
  /** Since when; null if that is not known. */
  readonly since: string | null;
  /** What it keeps from happening; empty if that is not known. */
  readonly effect: string;
}

/** What is known of a finding beside what was found. */
type Around = Pick<Finding, 'about' | 'since' | 'effect'>;

/** What a check says: its area is known. */
export type Said = Omit<Finding, 'area' | keyof Around> & Partial<Around>;

export interface Disk extends DiskSpace {
  readonly path: string;
  /** With less free, reservations and uploads are refused. */
  readonly reserveBytes: number;
}

/** What the surroundings of the process say, which the store does not know. */
export interface Surroundings {
  readonly isProduction: boolean;
  /** The name of this machine. */
  readonly host: string;
  /** Whether the store must keep what it acknowledged. */
  readonly mustBeDurable: boolean;
  configuration(): Promise<readonly Said[]>;
  /** When the certificate of this server ends; undefined if it has none. Throws where it cannot be used. */
  certificateEndsAt(): number | undefined;
  /** Of the directories that the gateway writes to. */
  disks(): Promise<readonly Disk[]>;
}

/**
 * all        everything
 * pressing   what may need somebody now: as it is asked every few seconds, without what takes long or changes only with the
 *            configuration
 */
export const SCOPES = ['all', 'pressing'] as const;
export type Scope = (typeof SCOPES)[number];

export type Doctor = (scope?: Scope) => Promise<readonly Finding[]>;

const PRESSING: readonly Area[] = [
  'certificate',
  'durability',
  'disk',
  'clock',
  'nodes',
  'carriers',
  'webhooks',
  'queue',
];

const PATIENCE_MS = 30_000;
const DAY_MS = 86_400_000;
const MB = 1_000_000;
const GB = 1_000 * MB;
/** As far as clocks may be apart: idempotency, deadlines and tokens go by them. */
const CLOCK_WARNING_MS = 2_000;
const CLOCK_PROBLEM_MS = 30_000;
const QUEUE_WARNING_MS = 60_000;
const QUEUE_PROBLEM_MS = 600_000;
/** A record that is due for so long waits for others before it, which do not go either. */
const WEBHOOK_BEHIND_MS = 60_000;
const CERTIFICATE_WARNING_DAYS = 14;
/** Each takes some queries. */
const MOST_WEBHOOKS = 200;
/** The newest; older ones are probably not used any more. */
const MOST_FORMS = 200;
/** Of one kind in one area; the rest is counted. */
const MOST_TOLD = 20;
/** Of the messages that wait for a carrier. */
const MOST_COUNTED = 10_000;

export function createDoctor(deps: {
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
  /** Of the node that runs; a command has none. */
  readonly health?: () => Promise<Health>;
  /** Whether the whole store is read for damage. */
  readonly depth: 'quick' | 'thorough';
}): Doctor {
  const { store, clock, formatTime, nodes, carriers, webhooks, forms, objections, surroundings, depth } =
    deps;

  const checks: {
    readonly [A in Area]: (scope: Scope, health: Health | undefined) => Promise<readonly Said[]>;
  } = {
    configuration: () => surroundings.configuration(),

    async certificate() {
      const endsAt = surroundings.certificateEndsAt();
      if (endsAt === undefined) return [];
      const days = Math.floor((endsAt - clock.now()) / DAY_MS);
      const renew = 'Put the new files in their place and send SIGHUP.';
      if (days < 0) return [problem('The certificate has expired', renew)];
      const detail = `The certificate is valid for ${days} more days`;
      return [days < CERTIFICATE_WARNING_DAYS ? warning(detail, renew) : ok(detail)];
    },

    async store() {
      const began = clock.monotonic();
      await store.ping();
      await store.probeWrite();
      const took = Math.round(clock.monotonic() - began);
      const answers = ok(`The store answers and takes writes; both took ${took} ms`);
      // Reading a large store takes minutes: that is no reason to give up.
      const { damages, hasChecksums, bytes } = await store.upkeep.examine(depth);
      const told = damages
        .slice(0, MOST_TOLD)
        .map(damage =>
          problem(
            `The store is damaged: ${damage}`,
            'Stop the gateway, keep a copy of the files, and restore a backup: docs/backup.md.',
          ),
        );
      if (told.length > 0) return [answers, ...told];
      const size = `${(bytes / MB).toFixed(0)} MB`;
      const isProven = depth === 'thorough' || hasChecksums !== undefined;
      const sound = ok(isProven ? `No damage was found in ${size}` : `The store has ${size}`);
      const unchecked = warning(
        'The pages of PostgreSQL have no checksums: damage of the disk is noticed late',
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
      return [ok(`What was acknowledged is kept: ${shown.join(', ') || 'every commit is on disk'}`)];
    },

    async disk() {
      return (await surroundings.disks()).map(({ path, freeBytes, totalBytes, reserveBytes }) => {
        const share = totalBytes === 0 ? 1 : freeBytes / totalBytes;
        const detail = `${path} has ${sizeText(freeBytes)} of ${sizeText(totalBytes)} free`;
        const advice =
          'Free space or enlarge the disk, or keep less: BONGSU_INQUIRY_WINDOW, BONGSU_TEXT_RETENTION.';
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
        return [say(`Nothing is deleted or ended by its time at the moment: ${doubt}`, advice)];
      }
      if (skewMs === undefined) return [ok('The store goes by the clock of this machine')];
      const detail = `The clock of this machine is ${skewMs} ms ahead of the clock of PostgreSQL`;
      if (Math.abs(skewMs) > CLOCK_PROBLEM_MS) return [problem(detail, advice)];
      return [Math.abs(skewMs) > CLOCK_WARNING_MS ? warning(detail, advice) : ok(detail)];
    },

    async nodes() {
      const { nodes: lines, drift } = await nodes['GET /nodes']();
      if (lines.length === 0) return [];
      const isAnySending = lines.some(({ state }) => state === 'running');
      const said = [
        ...lines.flatMap(line => nodeFindings(line, isAnySending)),
        ...clockFindings(lines),
        ...drift.map(driftFinding),
      ];
      if (said.length > 0) return shortened(said);
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
            'Name carriers in bongsu.yaml: "bongsu init" writes an example.',
          ),
        ];
      }
      const running = lines.filter(({ node, state }) => node !== '' && state !== 'gone');
      if (running.length === 0) {
        return [warning('No gateway runs on this store', 'Start it: bongsu serve.')];
      }
      const said = oncePerCarrier(lines.flatMap(carrierFindings));
      if (said.length === 0) return [allUp(running.length)];
      const told = said.slice(0, MOST_TOLD).map(async each => {
        return each.isHeldUp ? { ...each, effect: await effectOf(each.about, lines) } : each;
      });
      return shortened([...(await Promise.all(told)), ...said.slice(MOST_TOLD)]);
    },

    async webhooks(scope) {
      const all = (await store.accounts.list()).filter(
        ({ blocked, settings }) => !blocked && settings.reportMode === 'webhook',
      );
      // Those with records that wait come first: of the others nobody misses anything yet.
      const dueAt = new Map((await store.webhooks.pending()).map(({ account, nextAt }) => [account, nextAt]));
      const waiting = all.filter(({ id }) => dueAt.has(id));
      const rest = scope === 'pressing' ? [] : all.filter(({ id }) => !dueAt.has(id));
      const checked = [...waiting, ...rest].slice(0, MOST_WEBHOOKS);
      const said: Said[] = [];
      for (const { id } of checked) {
        const view = await webhooks['GET /accounts/{id}/webhook']({ id });
        const due = dueAt.get(id) ?? Number.POSITIVE_INFINITY;
        // It was deleted meanwhile.
        if (view instanceof Problem) continue;
        if (view.isOff) {
          said.push(
            problem(
              `The webhook of ${id} is off, ${view.pending} records wait: ${view.offReason}`,
              'See docs/webhooks.md; "bongsu webhook resume" turns it on again.',
              { about: id },
            ),
          );
        } else if (view.trouble) {
          said.push(
            warning(
              `The webhook of ${id} has failed since ${view.trouble.since}, ${view.pending} records wait: ${view.trouble.error}`,
              'Ask its operator; "bongsu webhook test" shows one call.',
              { about: id, since: view.trouble.since },
            ),
          );
        } else if (clock.now() - due > WEBHOOK_BEHIND_MS) {
          said.push(
            warning(
              `The webhook of ${id} is behind, ${view.pending} records wait`,
              'Its receiver is slow or fails; "bongsu webhook test" shows one call.',
              { about: id, since: formatTime(due) },
            ),
          );
        }
      }
      if (said.length > 0) return shortened(said);
      return [ok(`${all.length} accounts have webhooks; of ${checked.length} checked none is failing`)];
    },

    async forms() {
      const { forms: newest } = await forms.list({ limit: MOST_FORMS });
      const said: Said[] = [];
      for (const { account, formId, entries } of newest) {
        const compiled = compileFlow(entries, 'messageForm');
        // A form that was saved by other rules is refused when it is used.
        if (compiled instanceof Problem) continue;
        const found = await Promise.all(compiled.flow.map(step => objections(account, step)));
        const details = found.flat().filter(objection => isCertain(objection) && isFilledIn(objection));
        if (details.length === 0) continue;
        const first = details[0]?.detail ?? '';
        said.push(
          warning(
            `The form ${formId} of ${account} fails when it is sent: ${first}`,
            'Upload the image again, or correct the formatId, and save the form.',
          ),
        );
      }
      return said.length > 0
        ? shortened(said)
        : [ok(`None of ${newest.length} forms names an image or a format that is missing`)];
    },

    async queue(scope, health) {
      // To count them takes PostgreSQL a while.
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
                'Look at them with "bongsu queue set-aside": they name a bug or a damaged store.',
              ),
            ]
          : []),
      ];
    },
  };

  return async (scope = 'all') => {
    const findings: Finding[] = [];
    const health = await deps.health?.();
    const isAway = health !== undefined && health.store.state !== 'ok';
    for (const area of scope === 'all' || isAway ? AREAS : PRESSING) {
      const all = isAway ? await withoutStore(area, health) : await answerOf(area, scope, health);
      for (const { verdict, detail, advice, about = null, since = null, effect = '' } of all) {
        findings.push({ area, verdict, detail, advice, about, since, effect });
      }
    }
    return findings;
  };

  /** What a carrier holds up that takes no messages. */
  async function effectOf(name: string, lines: readonly CarrierLine[]): Promise<string> {
    const waiting = await store.queue.countReady(name, MOST_COUNTED);
    const { routes } = await carriers['GET /routes']();
    const alone = routes
      .filter(({ via }) => via.every(each => each === name))
      .map(({ index }) => `routes[${index}]`);
    const clauses = [
      waiting > 0 && (waiting === 1 ? '1 message waits' : `${waiting} messages wait`),
      alone.length > 0 && `no other carrier takes the messages of ${alone.join(', ')}`,
      lines.every(line => line.name === name) && 'there is no other carrier',
    ];
    return clauses.filter(Boolean).join('; ');
  }

  /** One for each machine; of this one the area `clock` tells. */
  function clockFindings(lines: readonly NodeLine[]): Said[] {
    const isOwnTold = clock.doubt !== undefined || Math.abs(clock.skewMs ?? 0) > CLOCK_WARNING_MS;
    const told = new Set<string | null>(isOwnTold ? [surroundings.host] : []);
    return lines.flatMap(line => {
      const { node, host, state, clockSkewMs, isClockWrong } = line;
      if (!isClockWrong || state === 'gone' || (host !== null && told.has(host))) return [];
      told.add(host);
      const detail = `The clock of the node ${nodeName(node, host)} is ${clockSkewMs} ms ahead of the store`;
      return [warning(detail, 'Let NTP set the clocks of all machines.')];
    });
  }

  /** While the store is away: what the node knows by itself. Each call of the store would last until its time-out. */
  async function withoutStore(area: Area, health: Health): Promise<readonly Said[]> {
    const { state, since, detail, advice } = health.store;
    switch (area) {
      case 'configuration':
      case 'certificate':
      case 'disk':
        return answerOf(area, 'all', health);
      case 'store': {
        const what = state === 'full' ? 'The disk of the store has been full' : 'The store has not answered';
        const rest =
          'Durability, clocks, nodes, webhooks and forms cannot be checked until the store answers';
        return [problem(`${what} since ${since}: ${detail}`, advice, { since }), warning(rest, '')];
      }
      case 'carriers': {
        const said = health.carriers.flatMap(ownCarrierFindings);
        return said.length > 0 ? shortened(said) : [allUp(health.carriers.length)];
      }
      case 'queue': {
        const { ready } = health.queue;
        return [
          ok(
            `${ready} messages were ready when the queue was last counted; ${health.inFlight} parts wait for an answer`,
          ),
        ];
      }
      default:
        return [];
    }
  }

  async function answerOf(area: Area, scope: Scope, health: Health | undefined): Promise<readonly Said[]> {
    const { promise: late, resolve } = Promise.withResolvers<readonly Said[]>();
    const isPatient = area === 'store' && depth === 'thorough';
    const cancel = isPatient
      ? () => {}
      : clock.schedule(PATIENCE_MS, () =>
          resolve([
            problem(
              `There was no answer within ${PATIENCE_MS / 1000} s`,
              'Look at the findings above, and try again.',
            ),
          ]),
        );
    try {
      return await Promise.race([checks[area](scope, health), late]);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return [problem(`It could not be checked: ${reason.replaceAll(/\s+/g, ' ').slice(0, 300)}`, '')];
    } finally {
      cancel();
    }
  }
}

function nodeName(node: string, host: string | null): string {
  return host === null ? node : `${node} on ${host}`;
}

function nodeFindings({ node, host, state, since }: NodeLine, isAnySending: boolean): readonly Said[] {
  const name = nodeName(node, host);
  const around = { about: node, since };
  if (state === 'gone') {
    return [
      warning(
        `The node ${name} has not been heard of`,
        'Start it again under its name, or remove it: bongsu node forget. The others have taken over its messages.',
        around,
      ),
    ];
  }
  if (state === 'running') return [];
  const advice = 'Stop it, or let it send again: bongsu node resume.';
  return [
    isAnySending
      ? warning(`The node ${name} is ${state}`, advice, around)
      : problem(`The node ${name} is ${state}`, advice, { ...around, effect: 'nothing is sent' }),
  ];
}

function driftFinding({ kind, name, groups }: Drift): Said {
  const shown = groups.map(group => group.slice(0, MOST_TOLD).join(', ')).join(' | ');
  return warning(
    `The nodes differ in ${name === '' ? kind : `${kind} ${name}`}: ${shown}`,
    'Give all of them the same environment and bongsu.yaml, and reload or restart them.',
  );
}

/** `isHeldUp`: messages wait for it, or go by another one. */
type CarrierSaid = Said & { readonly about: string; readonly isHeldUp: boolean };

function carrierFindings(line: CarrierLine): readonly CarrierSaid[] {
  const { name, node, state, detail, since, paused, hint } = line;
  // The node is a finding itself.
  if (state === 'gone') return [];
  const heldUp = { about: name, since, isHeldUp: true };
  if (node === '') {
    return [{ ...warning(`No node runs the carrier ${name}`, 'Reload the nodes: SIGHUP.'), ...heldUp }];
  }
  const trouble = state === 'up' ? undefined : carrierTrouble(name, state, detail);
  if (paused) {
    const said = trouble ? `is paused, and it is ${state}: ${detail}` : 'is paused';
    return [
      {
        ...warning(
          `The carrier ${name} ${said}`,
          'Resume it when its trouble is over: bongsu carrier resume.',
        ),
        ...(trouble && { verdict: trouble.verdict }),
        ...heldUp,
      },
    ];
  }
  if (trouble) return [{ ...trouble, ...heldUp }];
  if (hint === null) return [];
  const advice = 'Change its settings in bongsu.yaml, then SIGHUP; or ask the carrier.';
  return [{ ...warning(`The carrier ${name} is up: ${hint}`, advice), about: name, isHeldUp: false }];
}

/** What several nodes say of a carrier in the same words, with the time of the first. */
function oncePerCarrier(said: readonly CarrierSaid[]): readonly CarrierSaid[] {
  const first = new Map<string, CarrierSaid>();
  for (const each of said) {
    const known = first.get(each.detail);
    if (!known || (each.since ?? '') < (known.since ?? '')) first.set(each.detail, each);
  }
  return [...first.values()];
}

/** A lane that cannot look at its queue says nothing of its carrier. */
function ownCarrierFindings({ name, state, detail }: Health['carriers'][number]): readonly Said[] {
  const isSilent = ['idle', 'moving', 'stuck'].includes(state);
  return isSilent ? [] : [{ ...carrierTrouble(name, state, detail), about: name }];
}

function carrierTrouble(name: string, state: string, detail: string): Said {
  const says = `The carrier ${name} is ${state}: ${detail}`;
  if (state === 'waiting')
    return warning(says, 'It was rested after failures. Send a message to try it now.');
  if (state === 'full') return problem(says, FULL_ADVICE);
  const say = state === 'slowed' || state === 'paused' ? warning : problem;
  return say(
    says,
    'Try it with "bongsu carrier test". When the cause is removed, "bongsu carrier reconnect" ends its pause on every node; see docs/carriers.md.',
  );
}

function allUp(carriers: number): Said {
  return ok(carriers === 1 ? 'The carrier is up' : `All ${carriers} carriers are up`);
}

function shortened(said: readonly Said[]): readonly Said[] {
  const rest = said.length - MOST_TOLD;
  return rest <= 0 ? said : [...said.slice(0, MOST_TOLD), warning(`There are ${rest} more like these`, '')];
}

/** To a tenth, in a unit of which there is more than one. */
function sizeText(bytes: number): string {
  return bytes < GB ? `${(bytes / MB).toFixed(bytes < 10 * MB ? 1 : 0)} MB` : `${(bytes / GB).toFixed(1)} GB`;
}

export function ok(detail: string): Said {
  return { verdict: 'ok', detail, advice: '' };
}

export function warning(detail: string, advice: string, around: Partial<Around> = {}): Said {
  return { verdict: 'warning', detail, advice, ...around };
}

export function problem(detail: string, advice: string, around: Partial<Around> = {}): Said {
  return { verdict: 'problem', detail, advice, ...around };
}

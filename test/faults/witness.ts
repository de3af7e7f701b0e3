/**
 * What an operator is told of a gateway, and when by its clock: lines of the log, what `doctor` and `status` say, and the metrics as
 * Prometheus would scrape them.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { en as words } from '../../console/src/words/en.ts';
import { createLogger, type Logger } from '../../src/platform/logger.ts';
import type { TestGateway } from '../harness/gateway.ts';
import { storesAtRest } from '../harness/store-calls.ts';

export const SCRAPE_SECONDS = 15;
/** What comes first is looked at closely. */
const FIRST_SECONDS = 75;
const FIRST = { eachSeconds: 1, lookSeconds: 5 };
const LATER = { eachSeconds: 15, lookSeconds: 60 };
/** Both ends of every connection are in this process: so many turns are enough for a call and its answer. */
const TURNS = 25;
const WARN = 40;
/** Metrics of real time, which does not pass here, and of a database that does not wait for its disk. */
const NOT_SCRAPED = /^bongsu_(process|http_request|event_loop|durability)_/;

/** The console: what its pages show by what it is told. */
export type Place = 'log' | 'doctor' | 'status' | 'console';

interface CarrierLine {
  readonly name: string;
  readonly state: string;
  readonly detail: string;
  readonly breakerOpenUntil?: string | null;
}

interface Health {
  readonly ready: boolean;
  readonly reason: string;
  readonly store: { readonly state: string };
  readonly carriers: readonly CarrierLine[];
}

export class Witness {
  /** Gives what the log says to this witness. */
  readonly log: Logger;
  /** By place, what it said that is not well, and after how many seconds for the first time. */
  readonly said: Readonly<Record<Place, Map<string, number>>> = {
    log: new Map(),
    doctor: new Map(),
    status: new Map(),
    console: new Map(),
  };
  /** Every series that was scraped, with a value for each scrape; undefined where it was not there. */
  readonly #series = new Map<string, (number | undefined)[]>();
  #also: Readonly<Record<string, () => number>> = {};
  #seconds = 0;
  #scrapes = 0;

  constructor() {
    this.log = createLogger('info', {
      write: text => {
        const { level, event, notice } = JSON.parse(text);
        if (level >= WARN) this.#note('log', notice ?? event);
      },
    });
  }

  /** Series that do not come from the gateway. */
  alsoScrape(series: Readonly<Record<string, () => number>>): void {
    this.#also = series;
  }

  /** What was said is forgotten, and seconds count from now. */
  begin(): void {
    this.#seconds = 0;
    for (const told of Object.values(this.said)) told.clear();
  }

  /** Lets seconds pass for a gateway, of which `each` is called in all, or in every fifteenth later on. */
  async watch(gateway: TestGateway, seconds: number, each: () => Promise<unknown>): Promise<void> {
    for (const end = this.#seconds + seconds; this.#seconds < end; ) {
      const { eachSeconds, lookSeconds } = this.#seconds < FIRST_SECONDS ? FIRST : LATER;
      gateway.clock.advance(1000);
      this.#seconds++;
      if (this.#seconds % eachSeconds === 0) await each();
      for (let count = 0; count < TURNS; count++) await turn();
      await storesAtRest();
      if (this.#seconds % lookSeconds === 0) await this.#look(gateway);
      if (this.#seconds % SCRAPE_SECONDS === 0) await this.#scrape(gateway);
    }
  }

  /** After how many seconds a place said this for the first time; `…` stands for any text. */
  firstTime(place: Place, says: string): number | undefined {
    return [...this.said[place]].find(([what]) => isLike(what, says))?.[1];
  }

  toString(): string {
    return JSON.stringify(Object.entries(this.said).map(([place, told]) => [place, ...told]));
  }

  seriesForPromtool(): readonly { readonly series: string; readonly values: string }[] {
    return [...this.#series].map(([series, values]) => ({
      series,
      values: Array.from(values, value => value ?? '_').join(' '),
    }));
  }

  #note(place: Place, what: string): void {
    const told = this.said[place];
    if (!told.has(what)) told.set(what, this.#seconds);
  }

  async #look(gateway: TestGateway): Promise<void> {
    const { operator } = gateway;
    const { findings } = (await operator('GET', '/doctor')).body.data;
    for (const { area, verdict, detail } of findings)
      if (verdict !== 'ok') this.#note('doctor', `${verdict} ${area}: ${detail}`);
    const health: Health = (await operator('GET', '/health')).body.data;
    if (!health.ready) this.#note('status', `ready: no: ${health.reason}`);
    const carriers = await this.#lookAtConsole(gateway);
    for (const { name, state, detail } of [...health.carriers, ...carriers])
      if (!['up', 'idle', 'moving'].includes(state)) this.#note('status', `${name}: ${state}: ${detail}`);
  }

  /** What its pages read and show of it; gives the carriers. */
  async #lookAtConsole({ operator }: TestGateway): Promise<readonly CarrierLine[]> {
    const [carriers, nodes, webhook] = await Promise.all([
      operator('GET', '/carriers'),
      operator('GET', '/nodes'),
      operator('GET', '/accounts/shop/webhook'),
    ]);
    for (const { status, body } of [carriers, nodes]) {
      if (status === 503) this.#note('console', `every page says \`${body.code}\``);
    }
    const lines: readonly CarrierLine[] = carriers.body.data?.carriers ?? [];
    for (const { state, breakerOpenUntil } of lines) {
      this.#note('console', `*Carriers*: ${words.carriers.states[state as 'down']}`);
      if (breakerOpenUntil) this.#note('console', `*Carriers*: ${words.carriers.breakerOpen}`);
    }
    for (const { state } of nodes.body.data?.nodes ?? [])
      this.#note('console', `*Nodes*: ${words.nodes.states[state as 'gone']}`);
    const { trouble } = webhook.body.data ?? {};
    if (trouble?.error) this.#note('console', `*Webhooks*: ${words.webhookAttempts.troubleTitle}`);
    return lines;
  }

  /** A series has a value for each scrape, as it was first: zero, where it begins with its first count. */
  async #scrape(gateway: TestGateway): Promise<void> {
    const { text } = await gateway.request('GET', '/metrics');
    const scraped = [...text.matchAll(/^(bongsu_\w+)(?:\{(.*)\})? (\S+)$/gm)]
      .filter(([, name = '']) => !NOT_SCRAPED.test(name))
      .map(([, name, labels, value]) => {
        const all = ['instance="n1"', 'job="bongsu"', ...(labels ? [labels] : [])].join();
        return [`${name}{${all}}`, Number(value)] as const;
      });
    const also = Object.entries(this.#also).map(([series, value]) => [series, value()] as const);
    for (const [series, value] of [...scraped, ...also]) {
      const values = this.#series.get(series) ?? [];
      values[this.#scrapes] = value;
      this.#series.set(series, values);
    }
    this.#scrapes++;
  }
}

/** `…` in `says` stands for any text. */
export function isLike(what: string, says: string): boolean {
  const pattern = says.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('…', '.*');
  return new RegExp(`^${pattern}$`).test(what);
}

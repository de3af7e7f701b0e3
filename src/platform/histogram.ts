/**
 * A histogram for the hot path. prom-client's own looks its labels up by hash at every observation, which costs about
 * 4 µs; here a series is looked up once by its owner, and an observation is a few additions.
 */
import type { Histogram as PromHistogram, Registry } from 'prom-client';

export interface Series {
  observe(value: number): void;
}

interface SeriesCounts {
  readonly labels: Readonly<Record<string, string>>;
  /** Observations per bucket, not cumulative; the last is everything above. */
  readonly buckets: Float64Array;
  sum: number;
}

export class FastHistogram {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly type = 'histogram';
  readonly aggregator = 'sum';
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, SeriesCounts>();

  constructor(options: {
    readonly name: string;
    readonly help: string;
    readonly labelNames?: readonly string[];
    readonly buckets: readonly number[];
    readonly registry: Registry;
  }) {
    this.name = options.name;
    this.help = options.help;
    this.labelNames = options.labelNames ?? [];
    this.#bounds = options.buckets;
    // The registry asks a metric for its name and its values, and this class has both; its type asks for more.
    options.registry.registerMetric(this as unknown as PromHistogram);
  }

  /** The series of these labels; keep it, since finding it is the expensive part. */
  series(labels: Readonly<Record<string, string>> = {}): Series {
    const key = JSON.stringify(labels);
    const counts = this.#series.get(key) ?? {
      labels,
      buckets: new Float64Array(this.#bounds.length + 1),
      sum: 0,
    };
    this.#series.set(key, counts);
    const bounds = this.#bounds;
    return {
      observe(value) {
        let bucket = 0;
        while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket++;
        counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1;
        counts.sum += value;
      },
    };
  }

  /** What the registry writes out. */
  async get() {
    const values = [...this.#series.values()].flatMap(({ labels, buckets, sum }) => {
      let count = 0;
      const cumulative = [...buckets].map((observations, index) => {
        count += observations;
        const le = this.#bounds[index] ?? '+Inf';
        return { labels: { le, ...labels }, value: count, metricName: `${this.name}_bucket` };
      });
      return [
        ...cumulative,
        { labels, value: sum, metricName: `${this.name}_sum` },
        { labels, value: count, metricName: `${this.name}_count` },
      ];
    });
    return { name: this.name, help: this.help, type: this.type, aggregator: this.aggregator, values };
  }
}

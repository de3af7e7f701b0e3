/** The figures of this second, large. */
import { Figure, formatMs } from '../components/figure.tsx';
import { useWords } from '../words/words.tsx';
import type { Snapshot } from './live-feed.ts';

export function FiguresRow({ snapshot }: { snapshot: Snapshot }) {
  const t = useWords();
  const now = snapshot.figures.at(-1);
  const tallies = Object.values(snapshot.channels);
  const delivered = tallies.reduce((sum, tally) => sum + tally.delivered, 0);
  const ended = tallies.reduce((sum, tally) => sum + tally.delivered + tally.failed, 0);
  const queue = now?.queue;
  return (
    <dl class="figures">
      <Figure name={t.live.accepted} value={rate(now?.acceptedPerSecond)} />
      <Figure name={t.live.ended} value={rate(now?.endedPerSecond)} />
      <Figure
        name={t.live.success}
        value={ended === 0 ? '—' : `${((delivered / ended) * 100).toFixed(1)}%`}
        aside={t.live.inWindow}
      />
      <Figure
        name={t.live.latency}
        value={formatMs(now?.p50Ms)}
        aside={`${t.live.latencyTail} ${formatMs(now?.p99Ms)}`}
      />
      <Figure
        name={t.live.queue}
        value={queue ? (queue.ready + queue.claimed + queue.waiting).toLocaleString('en') : '—'}
      />
    </dl>
  );
}

function rate(value: number | undefined): string {
  if (value === undefined) return '—';
  return value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

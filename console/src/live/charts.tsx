import { useMemo } from 'preact/hooks';
import { formatMs, shortMs } from '../components/figure.tsx';
import { lookUp, useWords } from '../words/words.tsx';
import { Chart } from './chart.tsx';
import { columnsOf } from './gaps.ts';
import { type Snapshot, WINDOW_SECONDS } from './live-feed.ts';

export function Charts({ snapshot }: { snapshot: Snapshot }) {
  const t = useWords();
  const { figures } = snapshot;
  const throughput = useMemo(
    () => columnsOf(figures, [f => f.acceptedPerSecond, f => f.endedPerSecond]),
    [figures],
  );
  const latency = useMemo(() => columnsOf(figures, [f => f.p50Ms, f => f.p99Ms]), [figures]);
  const queue = useMemo(
    () =>
      columnsOf(figures, [
        f => f.queue?.ready ?? null,
        f => f.queue?.claimed ?? null,
        f => f.queue?.waiting ?? null,
      ]),
    [figures],
  );
  return (
    <div class="charts">
      <Chart
        shownSeconds={WINDOW_SECONDS}
        title={t.live.throughput}
        unit={t.live.perSecond}
        series={[
          { label: t.live.acceptedSeries, colour: '--chart-1', isFilled: true },
          { label: t.live.endedSeries, colour: '--chart-2' },
        ]}
        data={throughput}
      />
      <ChannelOutcomes snapshot={snapshot} />
      <Chart
        shownSeconds={WINDOW_SECONDS}
        title={t.live.latencyChart}
        unit=""
        format={formatMs}
        axisFormat={shortMs}
        series={[
          { label: t.live.p50, colour: '--chart-2' },
          { label: t.live.p99, colour: '--chart-1' },
        ]}
        data={latency}
      />
      <Chart
        shownSeconds={WINDOW_SECONDS}
        title={t.live.queueChart}
        unit=""
        series={[
          { label: t.live.ready, colour: '--chart-1' },
          { label: t.live.claimed, colour: '--chart-2' },
          { label: t.live.waiting, colour: '--chart-3' },
        ]}
        data={queue}
      />
    </div>
  );
}

/** A bar for each channel: delivered of all that ended. */
function ChannelOutcomes({ snapshot }: { snapshot: Snapshot }) {
  const t = useWords();
  const channels = Object.entries(snapshot.channels).filter(
    ([, { delivered, failed }]) => delivered + failed > 0,
  );
  return (
    <section class="card chart">
      <header class="chart-head">
        <h2>{t.live.byChannel}</h2>
        <p class="muted">{t.live.byChannelHint}</p>
      </header>
      {channels.length === 0 ? (
        <p class="chart-none muted">{t.live.nothingYet}</p>
      ) : (
        <ul class="outcomes">
          {channels.map(([channel, { delivered, failed }]) => {
            const share = delivered / (delivered + failed);
            return (
              <li key={channel}>
                <span>{lookUp(t.channels, channel)}</span>
                <span class="outcome-bar" aria-hidden="true">
                  <i style={{ width: `${share * 100}%` }} />
                </span>
                <span class="outcome-figure">
                  {(share * 100).toFixed(share === 1 ? 0 : 1)}%{' '}
                  <small>{(delivered + failed).toLocaleString('en')}</small>
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}

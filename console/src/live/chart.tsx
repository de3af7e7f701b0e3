/** A chart of lines over time. Its colours are those of the theme, read when it is drawn. */
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { localOf } from '../times.ts';
import { useZone } from '../zone.tsx';

export interface Series {
  readonly label: string;
  /** Name of the custom property that holds its colour. */
  readonly colour: string;
  readonly isFilled?: boolean;
}

const HEIGHT = 168;
const SHOWN_SECONDS = 300;

export function Chart(props: {
  title: string;
  unit: string;
  series: readonly Series[];
  /** Times in seconds, then one list of values for each series. */
  data: readonly (readonly (number | null)[])[];
}) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const { series, data } = props;
  const { zone } = useZone();
  const names = series.map(({ label }) => label).join();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const made = new uPlot(optionsOf(series, zone, element.clientWidth), [[]], element);
    plot.current = made;
    const resized = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height: HEIGHT }));
    resized.observe(element);
    // Axes and lines ask for their colour at each drawing, so a change of theme needs only one.
    const themed = new MutationObserver(() => made.redraw());
    themed.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    return () => {
      resized.disconnect();
      themed.disconnect();
      made.destroy();
      plot.current = null;
    };
  }, [names, zone]);

  useEffect(() => {
    plot.current?.setData(data.map(values => [...values]) as uPlot.AlignedData);
  }, [data, names, zone]);

  return (
    <section class="card chart">
      <header class="chart-head">
        <h2>{props.title}</h2>
        <ul class="legend">
          {series.map(({ label, colour }) => (
            <li key={label}>
              <i style={{ background: `var(${colour})` }} aria-hidden="true" />
              {label}
            </li>
          ))}
          {props.unit && <li class="muted">{props.unit}</li>}
        </ul>
      </header>
      <div ref={host} class="chart-plot" role="img" aria-label={`${props.title}: ${summaryOf(props)}`} />
    </section>
  );
}

function optionsOf(series: readonly Series[], zone: string, width: number): uPlot.Options {
  const grid = { stroke: () => colourOf('--line'), width: 1 };
  const axis = {
    stroke: () => colourOf('--text-quiet'),
    font: '11px system-ui, sans-serif',
    grid,
    ticks: { show: false },
  };
  return {
    width,
    height: HEIGHT,
    padding: [8, 22, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { range: (_plot, _min, max) => [max - SHOWN_SECONDS, max] },
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.15)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 60,
        incrs: [15, 30, 60, 300],
        values: (_plot, times) => times.map(time => clockTime(time, zone)),
      },
      { ...axis, size: 46, space: 34 },
    ],
    series: [
      {},
      ...series.map(({ label, colour, isFilled }) => ({
        label,
        stroke: () => colourOf(colour),
        width: 1.75,
        points: { show: false },
        spanGaps: true,
        ...(isFilled && { fill: () => `color-mix(in srgb, ${colourOf(colour)} 14%, transparent)` }),
      })),
    ],
  };
}

/** `14:05`, with the seconds where a tick stands between minutes. */
function clockTime(seconds: number, zone: string): string {
  const local = localOf(seconds * 1000, zone);
  return local.slice(11, seconds % 60 === 0 ? 16 : 19);
}

function colourOf(property: string): string {
  const probe = document.documentElement;
  return resolve(getComputedStyle(probe).getPropertyValue(property).trim());
}

/** A canvas does not know light-dark(): the half of the theme in use is taken. */
function resolve(value: string): string {
  const halves = /^light-dark\((.+?),\s*(#\w+|.+)\)$/.exec(value);
  if (!halves) return value;
  return (isDark() ? halves[2] : halves[1])?.trim() ?? value;
}

function isDark(): boolean {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function summaryOf({ series, data, unit }: Parameters<typeof Chart>[0]): string {
  return series
    .map(({ label }, index) => `${label} ${Math.round(data[index + 1]?.at(-1) ?? 0)} ${unit}`)
    .join(', ');
}

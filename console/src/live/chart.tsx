/**
 * A chart of lines over time. Its colours are those of the theme, read when it is drawn. The values of a point are shown
 * under the pointer, or with the arrow keys.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
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

type Format = (value: number) => string;

const HEIGHT = 168;
const DAY_SECONDS = 86_400;
/** More points than this are seen as a line without marking each. */
const MOST_MARKED = 40;

export function Chart(props: {
  title: string;
  unit: string;
  series: readonly Series[];
  /** Times in seconds, then one list of values for each series; null where nothing was measured. */
  data: readonly (readonly (number | null)[])[];
  /** The newest so many seconds; everything without it. */
  shownSeconds?: number;
  /** Of values under the pointer. */
  format?: Format;
  /** Of values beside the axis. */
  axisFormat?: Format;
}) {
  const host = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const [point, setPoint] = useState<{ readonly index: number; readonly left: number } | undefined>();
  const { series, data, shownSeconds, axisFormat = shortValue } = props;
  const { zone } = useZone();
  const names = series.map(({ label }) => label).join();

  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const options = optionsOf({ series, zone, shownSeconds, axisFormat, width: element.clientWidth });
    const pointed = (made: uPlot) => {
      const { idx, left = -1 } = made.cursor;
      setPoint(idx === null || idx === undefined || left < 0 ? undefined : { index: idx, left });
    };
    const made = new uPlot({ ...options, hooks: { setCursor: [pointed] } }, [[]], element);
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
  }, [names, zone, shownSeconds]);

  useEffect(() => {
    plot.current?.setData(data.map(values => [...values]) as uPlot.AlignedData);
  }, [data, names, zone, shownSeconds]);

  /** To the point before or after the one that is shown; from the newest on. */
  const move = (step: number) => {
    const made = plot.current;
    const times = data[0] ?? [];
    if (!made || times.length === 0) return;
    const index = Math.min(times.length - 1, Math.max(0, (point?.index ?? times.length) + step));
    made.setCursor({ left: made.valToPos(times[index] ?? 0, 'x'), top: 10 });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const all = data[0]?.length ?? 0;
    const step = { ArrowLeft: -1, ArrowRight: 1, Home: -all, End: all }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    move(step);
  };
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
      <div class="chart-frame">
        <div
          ref={host}
          class="chart-plot"
          role="slider"
          aria-label={props.title}
          aria-readonly
          aria-valuemin={0}
          aria-valuemax={Math.max(0, (data[0]?.length ?? 0) - 1)}
          aria-valuenow={point?.index ?? 0}
          aria-valuetext={point ? valuesAt(point.index, props, zone) : summaryOf(props)}
          tabIndex={0}
          onKeyDown={onKeyDown}
          onBlur={() => plot.current?.setCursor({ left: -10, top: -10 })}
        />
        <PointValues {...props} zone={zone} point={point} width={host.current?.clientWidth ?? 0} />
      </div>
    </section>
  );
}

/** Beside the pointer, on the side that has room. */
function PointValues(
  props: Pick<Parameters<typeof Chart>[0], 'series' | 'data' | 'format'> & {
    zone: string;
    point: { readonly index: number; readonly left: number } | undefined;
    width: number;
  },
) {
  const { series, data, point, zone, width, format = formatValue } = props;
  const time = point && data[0]?.[point.index];
  const isLeft = point !== undefined && point.left > width / 2;
  return (
    <div class="chart-values" aria-hidden="true" data-side={isLeft ? 'left' : 'right'} hidden={!point}>
      {point && time !== undefined && time !== null && (
        <>
          <b>{pointTime(time, data[0] ?? [], zone)}</b>
          {series.map(({ label, colour }, index) => {
            const value = data[index + 1]?.[point.index];
            return (
              <span key={label}>
                <i style={{ background: `var(${colour})` }} aria-hidden="true" />
                {label} <b>{value === null || value === undefined ? '—' : format(value)}</b>
              </span>
            );
          })}
        </>
      )}
    </div>
  );
}

function formatValue(value: number): string {
  return Number.isInteger(value) || value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

function optionsOf(given: {
  series: readonly Series[];
  zone: string;
  shownSeconds: number | undefined;
  axisFormat: Format;
  width: number;
}): uPlot.Options {
  const { series, zone, shownSeconds, axisFormat, width } = given;
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
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    scales: {
      x: {
        range: (_plot, min, max) => {
          if (shownSeconds !== undefined) return [max - shownSeconds, max];
          return max > min ? [min, max] : [min - 3600, max + 3600];
        },
      },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.15 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 28,
        space: 60,
        incrs: [15, 30, 60, 300, 900, 3600, 7200, 10_800, 21_600, 43_200, ...dayIncrements()],
        splits: (_plot, _axis, min, max, increment) => splitsOf(min, max, increment, zone),
        values: (_plot, times, _axis, _space, increment) =>
          times.map(time => axisTime(time, increment, zone)),
      },
      { ...axis, size: 46, space: 34, values: (_plot, values) => values.map(axisFormat) },
    ],
    series: [
      {},
      ...series.map(({ label, colour, isFilled }) => ({
        label,
        stroke: () => colourOf(colour),
        width: 1.75,
        points: { show: true, size: 5, fill: () => colourOf(colour), filter: markedPoints },
        // What was not measured is not drawn.
        spanGaps: false,
        ...(isFilled && { fill: () => `color-mix(in srgb, ${colourOf(colour)} 14%, transparent)` }),
      })),
    ],
  };
}

function dayIncrements(): number[] {
  return [1, 2, 3, 5, 7, 14, 30, 60, 120].map(days => days * DAY_SECONDS);
}

/** Whole steps of the local clock, so that days begin at midnight. */
function splitsOf(min: number, max: number, increment: number, zone: string): number[] {
  const local = Date.parse(`${localOf(min * 1000, zone)}Z`) / 1000;
  const ahead = local - min;
  const first = Math.ceil((min + ahead) / increment) * increment - ahead;
  const count = Math.max(0, Math.floor((max - first) / increment) + 1);
  return Array.from({ length: Math.min(count, 100) }, (_, index) => first + index * increment);
}

/** Few points are marked all; of many, those that no line leads to. */
function markedPoints(made: uPlot, seriesIndex: number): number[] | null {
  const values = made.data[seriesIndex] ?? [];
  const isThere = (index: number) => values[index] !== null && values[index] !== undefined;
  const marked: number[] = [];
  for (let index = 0; index < values.length; index++) {
    if (!isThere(index)) continue;
    if (values.length <= MOST_MARKED || (!isThere(index - 1) && !isThere(index + 1))) marked.push(index);
  }
  return marked;
}

/** `14:05`, with the seconds between minutes, or the day where steps are days. */
function axisTime(seconds: number, increment: number, zone: string): string {
  const local = localOf(seconds * 1000, zone);
  if (increment >= DAY_SECONDS) return local.slice(5, 10);
  const isMidnight = local.slice(11, 16) === '00:00' && increment >= 3600;
  return isMidnight ? local.slice(5, 10) : local.slice(11, seconds % 60 === 0 ? 16 : 19);
}

/** The time of a point, as precisely as its neighbours are apart. */
function pointTime(seconds: number, times: readonly (number | null)[], zone: string): string {
  const local = localOf(seconds * 1000, zone);
  const apart = (times[1] ?? 0) - (times[0] ?? 0);
  if (apart >= DAY_SECONDS - 7200) return local.slice(0, 10);
  return apart >= 3600 ? `${local.slice(5, 10)} ${local.slice(11, 16)}` : local.slice(11, 19);
}

function valuesAt(
  index: number,
  { series, data, format = formatValue }: Pick<Parameters<typeof Chart>[0], 'series' | 'data' | 'format'>,
  zone: string,
): string {
  const time = data[0]?.[index] ?? 0;
  const values = series.map(({ label }, at) => {
    const value = data[at + 1]?.[index];
    return `${label} ${value === null || value === undefined ? '—' : format(value)}`;
  });
  return [pointTime(time, data[0] ?? [], zone), ...values].join(', ');
}

/** `1200`, `12k`, `1.2M`: the axis has little room. */
function shortValue(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1000}k` : String(value);
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

function summaryOf({ series, data, unit, format = formatValue }: Parameters<typeof Chart>[0]): string {
  return series
    .map(({ label }, index) => {
      const newest = data[index + 1]?.findLast(value => value !== null);
      return `${label} ${newest === undefined || newest === null ? '—' : format(newest)} ${unit}`;
    })
    .join(', ');
}

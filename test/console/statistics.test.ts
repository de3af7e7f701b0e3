import assert from 'node:assert/strict';
import test from 'node:test';
import { csvOf } from '../../console/src/csv.ts';
import { columnsOf } from '../../console/src/live/gaps.ts';
import { rangeOf, usualUnit } from '../../console/src/statistics/period.ts';
import { loadOf, valuesOf } from '../../console/src/statistics/series.ts';
import { formatCsvRow } from '../../src/platform/csv.ts';

test('a chart has an empty point where nothing was measured for a while', () => {
  const measured = (at: number, seconds: number) => ({ at, seconds, value: at });
  const list = [measured(0, 60), measured(60, 60), measured(120, 1), measured(121, 1), measured(122.4, 1)];
  const later = [measured(140, 1), measured(141, 1)];
  assert.deepEqual(columnsOf(list, [({ value }) => value])[1], [0, 60, 120, 121, 122.4], 'no gap');
  const [times, values] = columnsOf([...list, ...later], [({ value }) => value]);
  assert.deepEqual(times, [0, 60, 120, 121, 122.4, 123.4, 140, 141]);
  assert.deepEqual(values, [0, 60, 120, 121, 122.4, null, 140, 141]);
  assert.deepEqual(columnsOf([], [() => 1]), [[], []]);
});

test('every hour or day of a range has a point', () => {
  const range = { from: '2026-11-15T00:00:00Z', until: '2026-11-15T05:00:00Z' };
  const rows = [1, 3].map(hour => ({ at: `2026-11-15T0${hour}:00:00Z`, count: hour }));
  const [times = [], counts] = valuesOf(rows, range, 3600, [row => row?.count ?? 0]);
  assert.deepEqual(
    times.map(time => new Date(Number(time) * 1000).toISOString().slice(11, 13)),
    ['00', '01', '02', '03', '04'],
  );
  assert.deepEqual(counts, [0, 1, 0, 3, 0]);
  assert.deepEqual(valuesOf([], range, 3600, [() => null])[1], [null, null, null, null, null]);
  // The day on which clocks are put back has 25 hours.
  const days = [
    '2026-10-31T04:00:00Z',
    '2026-11-01T04:00:00Z',
    '2026-11-02T05:00:00Z',
    '2026-11-04T05:00:00Z',
  ];
  const month = { from: days[0] ?? '', until: '2026-11-05T05:00:00Z' };
  const points = valuesOf(
    days.map(at => ({ at })),
    month,
    86_400,
    [row => (row ? 1 : 0)],
  );
  assert.deepEqual(points[1], [1, 1, 1, 0, 1]);
});

test('a period is days of the gateway, whatever the zone of the browser', () => {
  const now = Date.parse('2026-11-15T15:30:10Z');
  const none = { from: '', until: '' };
  const seoul = (period: Parameters<typeof rangeOf>[0]) => rangeOf(period, none, now, 'Asia/Seoul');
  assert.deepEqual(seoul('today'), { from: '2026-11-15T15:00:00.000Z', until: '2026-11-15T15:31:00.000Z' });
  assert.deepEqual(seoul('yesterday'), {
    from: '2026-11-14T15:00:00.000Z',
    until: '2026-11-15T15:00:00.000Z',
  });
  assert.equal(seoul('week').from, '2026-11-09T15:00:00.000Z');
  assert.equal(seoul('month').from, '2026-10-17T15:00:00.000Z');
  const custom = { from: '2026-01-01T00:00:00Z', until: '2026-01-02T00:00:00Z' };
  assert.deepEqual(rangeOf('custom', custom, now, 'UTC'), custom);
  assert.deepEqual([usualUnit(seoul('yesterday')), usualUnit(seoul('week'))], ['hour', 'day']);
});

test('the load of a carrier is its average and its busiest stretch', () => {
  const buckets = [60, 240].map(submitted => ({ at: '', submitted, refused: 0, throttled: 0 }));
  const carrier = { carrier: 'a', submitted: 300, refused: 0, throttled: 0, buckets };
  const range = { from: '2026-11-15T00:00:00Z', until: '2026-11-15T00:05:00Z' };
  assert.deepEqual(loadOf(carrier, 60, range), { average: 1, peak: 4 });
});

test('a table for spreadsheets holds texts as texts', () => {
  const rows = [
    ['a', 'b'],
    ['x,"y"', '=1+1'],
    [null, 2.5],
    ['-5', '@x'],
  ];
  const written = rows.map(row => formatCsvRow(row.map(cell => (cell === null ? '' : String(cell)))));
  assert.equal(csvOf(rows), `\ufeff${written.join('')}`);
});

/** A large number with its name. */

export function Figure({ name, value, aside }: { name: string; value: string; aside?: string | undefined }) {
  return (
    <div class="figure">
      <dt>{name}</dt>
      <dd>
        {value}
        {aside && <small>{aside}</small>}
      </dd>
    </div>
  );
}

export function formatMs(value: number | null | undefined): string {
  if (value === undefined || value === null) return '—';
  if (value >= 5_400_000) return `${(value / 3_600_000).toFixed(1)} h`;
  if (value >= 90_000) return `${(value / 60_000).toFixed(1)} min`;
  return value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${Math.round(value)} ms`;
}

/** For the axis of a chart, which has round values and little room. */
export function shortMs(value: number): string {
  if (value >= 3_600_000) return `${round(value / 3_600_000)} h`;
  if (value >= 120_000) return `${round(value / 60_000)} min`;
  return value >= 1000 ? `${round(value / 1000)} s` : `${round(value)} ms`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

export function formatCount(value: number): string {
  return value.toLocaleString('en');
}

export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '—';
  const share = (part / whole) * 100;
  return `${part === whole ? '100' : Math.min(99.9, share).toFixed(1)}%`;
}

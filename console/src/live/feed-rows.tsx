/** The rows of the feed. Only visible rows are in the document, so that a long list stays fast. */
import { useRef, useState } from 'preact/hooks';
import { StateBadge } from '../components/badge.tsx';
import { Link } from '../router.tsx';
import { formatClock } from '../times.ts';
import { lookUp, useWords } from '../words/words.tsx';
import { useZone } from '../zone.tsx';
import type { LiveRow } from './live-feed.ts';

const ROW_HEIGHT = 40;
const SPARE_ROWS = 6;
const VIEW_HEIGHT = 480;

export function FeedRows({ rows }: { rows: readonly LiveRow[] }) {
  const t = useWords();
  const view = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW_HEIGHT) - SPARE_ROWS);
  const last = first + Math.ceil(VIEW_HEIGHT / ROW_HEIGHT) + 2 * SPARE_ROWS;
  return (
    <div
      class="feed-view"
      ref={view}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
      tabIndex={0}
      style={{ height: `${VIEW_HEIGHT}px` }}
      onScroll={() => setTop(view.current?.scrollTop ?? 0)}
    >
      <ol aria-label={t.live.feed} class="feed" style={{ height: `${rows.length * ROW_HEIGHT}px` }}>
        {rows.slice(first, last).map((row, index) => (
          <FeedRow key={row.id} row={row} top={(first + index) * ROW_HEIGHT} />
        ))}
      </ol>
    </div>
  );
}

function FeedRow({ row, top }: { row: LiveRow; top: number }) {
  const t = useWords();
  const { zone } = useZone();
  return (
    <li class="feed-row" style={{ transform: `translateY(${top}px)` }}>
      <span class="feed-time">{formatClock(row.at, zone)}</span>
      <span class="feed-state">
        <StateBadge state={row.state} />
      </span>
      <span class="feed-to">
        <Link to={`/messages/${row.msgKey}`}>{row.to}</Link>
      </span>
      <span class="feed-channel">{lookUp(t.channels, row.channel)}</span>
      <span class="feed-event">
        {lookUp(t.live.events, row.event)}
        {row.code && <code>{row.code}</code>}
      </span>
      <span class="feed-account" title={row.account}>
        {row.account}
      </span>
      <span class="feed-carrier" title={row.carrier}>
        {row.carrier}
      </span>
    </li>
  );
}

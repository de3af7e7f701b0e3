/** Live: figures, charts and every event as it happens. */

import { useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Filters } from '../components/filters.tsx';
import { Loading } from '../components/loading.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { Charts } from '../live/charts.tsx';
import { FeedRows } from '../live/feed-rows.tsx';
import { FiguresRow } from '../live/figures-row.tsx';
import type { LiveRow } from '../live/live-feed.ts';
import { useLiveFeed } from '../live/use-live-feed.ts';
import { Link, useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';

interface Filter {
  readonly text: string;
  readonly account: string;
  readonly channel: string;
  readonly state: string;
}

export function LivePage() {
  const t = useWords();
  const { snapshot, setPaused } = useLiveFeed();
  const [text, setText] = useState('');
  const [account, setAccount] = useTerm('account');
  const [channel, setChannel] = useTerm('channel');
  const [state, setState] = useTerm('state');
  const filter: Filter = { text, account, channel, state };
  if (!snapshot) {
    return (
      <>
        <PageHead title={t.live.title} intro={t.live.intro} />
        <Loading />
      </>
    );
  }
  const { isPaused, isConnected, rows, held, skipped } = snapshot;
  const shown = rows.filter(row => isMatch(row, filter));
  const accounts = [...new Set([...rows.map(row => row.account), ...(account ? [account] : [])])].sort();
  const { all } = t.common;
  return (
    <>
      <PageHead title={t.live.title} intro={t.live.intro}>
        <span class={isConnected && !isPaused ? 'pulse pulse-on' : 'pulse'} role="status">
          {isPaused ? t.live.paused : isConnected ? t.live.connected : t.live.connecting}
        </span>
        <Button icon={isPaused ? 'play' : 'pause'} onPress={() => setPaused(!isPaused)}>
          {isPaused ? t.live.resume : t.live.pause}
        </Button>
      </PageHead>
      {snapshot.trouble && (
        <p class="notice notice-bad" role="alert">
          {t.live[snapshot.trouble]}
        </p>
      )}
      <FiguresRow snapshot={snapshot} />
      <Charts snapshot={snapshot} />
      <section class="card feed-card" aria-label={t.live.feed}>
        <header class="feed-head">
          <h2>{t.live.feed}</h2>
          <p class="muted">
            {held > 0 && t.live.held(held)}
            {held === 0 && skipped > 0 && t.live.skipped(skipped)}
          </p>
        </header>
        <Filters given={[filter.account, filter.channel, filter.state].filter(Boolean).length}>
          <TextField label={t.live.filterText} type="search" value={filter.text} onInput={setText} />
          <SelectField
            label={t.common.account}
            value={filter.account}
            options={optionsOf(accounts, { all })}
            onChange={setAccount}
          />
          <SelectField
            label={t.common.channel}
            value={filter.channel}
            options={optionsOf(t.channels, { all })}
            onChange={setChannel}
          />
          <SelectField
            label={t.common.state}
            value={filter.state}
            options={optionsOf(t.states, { all })}
            onChange={setState}
          />
        </Filters>
        {rows.length === 0 ? (
          <NoEvents hasEarlier={Object.keys(snapshot.channels).length > 0} />
        ) : shown.length === 0 ? (
          <p class="muted feed-none">{t.live.noneMatch}</p>
        ) : (
          <FeedRows rows={shown} />
        )}
      </section>
    </>
  );
}

/** The feed begins when the page is opened: figures of earlier messages may stand above an empty one. */
function NoEvents({ hasEarlier }: { hasEarlier: boolean }) {
  const t = useWords();
  return hasEarlier ? (
    <EmptyState title={t.live.quiet} hint={t.live.quietHint}>
      <Link to="/messages" class="button">
        {t.live.toMessages}
      </Link>
    </EmptyState>
  ) : (
    <EmptyState title={t.live.empty} hint={t.live.emptyHint}>
      <Link to="/compose" class="button button-main">
        {t.live.compose}
      </Link>
    </EmptyState>
  );
}

function isMatch(row: LiveRow, { text, account, channel, state }: Filter): boolean {
  const holds = (value: string | undefined) => value?.toLowerCase().includes(text.toLowerCase()) ?? false;
  return (
    (!account || row.account === account) &&
    (!channel || row.channel === channel) &&
    (!state || row.state === state) &&
    (!text || holds(row.to) || holds(row.msgKey) || holds(row.code))
  );
}

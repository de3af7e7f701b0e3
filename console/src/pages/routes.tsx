/** Routes: which carrier sends which messages, and an explanation for any one message. */
import { useState } from 'preact/hooks';
import { AccountPicker, useAccountChoice } from '../components/account-picker.tsx';
import { Badge } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Column, Table } from '../components/table.tsx';
import { type Explanation, explainRoute, listRoutes, type Route } from '../gateway/carriers.ts';
import { CHANNELS } from '../gateway/steps.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function RoutesPage() {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => listRoutes(signal), []);
  const columns: readonly Column<Route>[] = [
    { name: t.routes.route, cell: route => `routes[${route.index}]` },
    {
      name: t.common.channel,
      cell: route => listed(route.channel, name => lookUp(t.channels, name)) || t.routes.any,
    },
    { name: t.routes.prefix, cell: route => listed(route.prefix) || t.routes.any },
    { name: t.common.account, cell: route => listed(route.account) || t.routes.any, isLong: true },
    { name: t.routes.weight, cell: route => (route.weight === null ? '' : String(route.weight)) },
    { name: t.routes.via, cell: route => route.via.join(' → '), isLong: true },
  ];
  return (
    <>
      <PageHead title={t.routes.title} intro={t.routes.intro} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer && answer.routes.length === 0 && (
        <EmptyState title={t.routes.empty} hint={t.routes.emptyHint} />
      )}
      {answer && answer.routes.length > 0 && (
        <div class="card card-table">
          <Table
            label={t.routes.title}
            columns={columns}
            rows={answer.routes}
            keyOf={route => String(route.index)}
          />
        </div>
      )}
      {answer && (
        <p class="otherwise">
          {t.routes.otherwise}: <strong>{answer.otherwise ?? t.routes.refused}</strong>
        </p>
      )}
      <Explain />
    </>
  );
}

function Explain() {
  const t = useWords();
  const choice = useAccountChoice();
  const [channel, setChannel] = useState('sms');
  const [to, setTo] = useState('01012345678');
  const [explanation, setExplanation] = useState<Explanation | undefined>();
  const asking = useAction();
  const ask = (event: Event) => {
    event.preventDefault();
    asking.run(async () =>
      setExplanation(await explainRoute({ channel, to, account: choice.account ?? '' })),
    );
  };
  return (
    <section class="card" aria-label={t.routes.explainTitle}>
      <h2>{t.routes.explainTitle}</h2>
      <form class="inline-form" onSubmit={ask}>
        <SelectField
          label={t.common.channel}
          value={channel}
          options={CHANNELS.map(value => ({ value, label: t.channels[value] }))}
          onChange={setChannel}
        />
        <TextField label={t.common.to} type="tel" value={to} onInput={setTo} />
        <AccountPicker choice={choice} />
        <button type="submit" class="button button-main" disabled={asking.isRunning}>
          {t.routes.explain}
        </button>
      </form>
      <RefusalNotice refusal={asking.refusal} />
      {explanation && (
        <div role="status" class="explanation">
          <p>
            {t.routes.chosen}: <strong>{explanation.carrier ?? t.routes.noCarrier}</strong>
          </p>
          <p class="muted">{explanation.why}</p>
          <ol>
            {explanation.considered.map(({ route, matches, why }) => (
              <li key={route}>
                {`routes[${route}]`}{' '}
                <Badge tone={matches ? 'good' : 'plain'}>
                  {matches ? t.routes.matches : t.routes.matchesNot}
                </Badge>{' '}
                <span class="muted">{why}</span>
              </li>
            ))}
          </ol>
        </div>
      )}
    </section>
  );
}

function listed(
  value: string | readonly string[] | null | undefined,
  nameOf = (item: string) => item,
): string {
  if (value === null || value === undefined) return '';
  return (typeof value === 'string' ? [value] : value).map(nameOf).join(', ');
}

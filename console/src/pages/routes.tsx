/** Routes: which carrier sends which messages, and an explanation for any one message. */

import { useState } from 'preact/hooks';
import type { RouteExplanation, RouteLine } from '../../../src/operations/carriers.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { AccountPicker, useAccountChoice } from '../components/account-picker.tsx';
import { Badge } from '../components/badge.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { type Column, Table } from '../components/table.tsx';
import { ask, operate } from '../gateway/operations.ts';
import { lookUp, useWords } from '../words/words.tsx';

export function RoutesPage() {
  const t = useWords();
  const listed = useAnswer(ask('GET /routes', {}));
  const columns: readonly Column<RouteLine>[] = [
    { name: t.routes.route, cell: route => `routes[${route.index}]` },
    {
      name: t.common.channel,
      cell: route => lookUp(t.channels, route.channel),
    },
    { name: t.routes.prefix, cell: route => route.prefix.join(', ') || t.routes.any },
    { name: t.common.account, cell: route => route.account.join(', ') || t.routes.any, isLong: true },
    { name: t.routes.weight, cell: route => (route.weight === null ? '' : String(route.weight)) },
    { name: t.routes.via, cell: route => route.via.join(' → '), isLong: true },
  ];
  return (
    <>
      <PageHead title={t.routes.title} intro={t.routes.intro} />
      <Loaded of={listed}>
        {({ routes, otherwise }) => (
          <>
            {routes.length === 0 && <EmptyState title={t.routes.empty} hint={t.routes.emptyHint} />}
            {routes.length > 0 && (
              <div class="card card-table">
                <Table
                  label={t.routes.title}
                  columns={columns}
                  rows={routes}
                  keyOf={route => String(route.index)}
                />
              </div>
            )}
            <p class="otherwise">
              {t.routes.otherwise}: <strong>{otherwise ?? t.routes.refused}</strong>
            </p>
          </>
        )}
      </Loaded>
      <Explain />
    </>
  );
}

function Explain() {
  const t = useWords();
  const choice = useAccountChoice();
  const [channel, setChannel] = useState('sms');
  const [to, setTo] = useState('01012345678');
  const [explanation, setExplanation] = useState<RouteExplanation | undefined>();
  return (
    <section class="card" aria-label={t.routes.explainTitle}>
      <h2>{t.routes.explainTitle}</h2>
      <Form
        isInline
        isRead
        submit={t.routes.explain}
        onSubmit={async () =>
          setExplanation(await operate('GET /routes/explain', { channel, to, account: choice.account }))
        }
      >
        <SelectField
          label={t.common.channel}
          value={channel}
          options={optionsOf(t.channels)}
          onChange={setChannel}
        />
        <TextField label={t.common.to} type="tel" value={to} onInput={setTo} />
        <AccountPicker choice={choice} />
      </Form>
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

/** Accounts: who may use the gateway. Each has a page. */

import { useState } from 'preact/hooks';
import { BlockedBadge } from '../accounts/blocked-badge.tsx';
import { useList } from '../answers/use-list.ts';
import { useQuiet } from '../answers/use-quiet.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { LoadedTable } from '../components/list.tsx';
import { optionsOf } from '../components/options.ts';
import { PageHead } from '../components/page-head.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Time } from '../components/time.tsx';
import { createAccount, findAccounts } from '../gateway/accounts.ts';
import { Link, useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';

export function AccountsPage() {
  const t = useWords();
  const [search, setSearch] = useTerm('search');
  const [order, setOrder] = useTerm('order');
  const accounts = useList(findAccounts({ search: useQuiet(search), order }));
  const [secret, setSecret] = useState<{ id: string; password: string } | undefined>();
  const [id, setId] = useState('');

  return (
    <>
      <PageHead title={t.accounts.title} intro={t.accounts.intro} />
      <Form
        class="card"
        isInline
        least="admin"
        submit={t.accounts.create}
        isReady={id.trim() !== ''}
        onSubmit={async () => {
          setSecret(await createAccount(id.trim()));
          setId('');
        }}
      >
        <TextField label={t.accounts.id} value={id} onInput={setId} />
      </Form>
      {secret && <SecretOnce title={t.accounts.passwordOf(secret.id)} secret={secret.password} />}
      <div class="filters">
        <TextField label={t.accounts.search} type="search" value={search} onInput={setSearch} />
        <SelectField
          label={t.accounts.order}
          value={order || 'id'}
          options={optionsOf(t.accounts.orders)}
          onChange={chosen => setOrder(chosen === 'id' ? '' : chosen)}
        />
      </div>
      <LoadedTable
        of={accounts}
        label={t.accounts.title}
        columns={[
          {
            name: t.accounts.id,
            cell: account => (
              <Link to={`/accounts/${encodeURIComponent(account.id)}`} class="row-link">
                {account.id}
              </Link>
            ),
            isLong: true,
          },
          { name: t.common.state, cell: account => <BlockedBadge account={account} /> },
          { name: t.accounts.created, cell: account => <Time at={account.createdAt} /> },
        ]}
        keyOf={account => account.id}
        empty={
          search === '' ? (
            <EmptyState title={t.accounts.empty} hint={t.accounts.emptyHint} />
          ) : (
            <EmptyState title={t.accounts.noneFound} hint={t.accounts.noneFoundHint} />
          )
        }
      />
    </>
  );
}

/** Accounts: who may use the gateway. Settings open below the account they belong to. */

import { useState } from 'preact/hooks';
import { AccountSettingsForm } from '../accounts/account-settings-form.tsx';
import { AccountUsage } from '../accounts/account-usage.tsx';
import { useAnswer } from '../answers/use-answer.tsx';
import { Badge } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { DeleteDialog } from '../components/delete-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Time } from '../components/time.tsx';
import { useArrival } from '../components/use-arrival.ts';
import {
  type Account,
  changeAccount,
  createAccount,
  deleteAccount,
  listAccounts,
  newPassword,
} from '../gateway/accounts.ts';
import { useAction } from '../gateway/use-action.ts';
import { useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';

export function AccountsPage() {
  const t = useWords();
  const accounts = useAnswer(listAccounts());
  const [secret, setSecret] = useState<{ id: string; password: string } | undefined>();
  const [id, setId] = useState('');
  const [deleted, setDeleted] = useState<{ id: string; keptUntil: string } | undefined>();
  const changing = useAction();

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
      {deleted && (
        <p class="notice notice-good" role="status">
          {t.deleting.accountGone(deleted.id)} <Time at={deleted.keptUntil} />
        </p>
      )}
      <RefusalNotice refusal={changing.refusal} />
      <Loaded of={accounts} empty={<EmptyState title={t.accounts.empty} hint={t.accounts.emptyHint} />}>
        {all => (
          <ul class="cards">
            {all.map(account => (
              <AccountCard
                key={account.id}
                account={account}
                onBlock={blocked => changing.run(() => changeAccount(account.id, { blocked }))}
                onPassword={() =>
                  changing.run(async () => {
                    setSecret({ id: account.id, ...(await newPassword(account.id)) });
                  })
                }
                onDelete={async () => setDeleted(await deleteAccount(account.id))}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
}

function AccountCard(props: {
  account: Account;
  onBlock: (blocked: boolean) => void;
  onPassword: () => void;
  onDelete: () => Promise<void>;
}) {
  const { account } = props;
  const t = useWords();
  const [isOpen, setOpen] = useState(false);
  const isNamed = useTerm('account')[0] === account.id;
  const card = useArrival<HTMLLIElement>(isNamed);
  return (
    <li class="card" ref={card} tabIndex={isNamed ? -1 : undefined}>
      <header class="card-head">
        <div>
          <h2>
            {account.id}{' '}
            <Badge tone={account.blocked ? 'bad' : 'good'}>
              {account.blocked ? t.accounts.blocked : t.accounts.active}
            </Badge>
          </h2>
          <p class="muted">
            {t.accounts.created} <Time at={account.createdAt} />
          </p>
        </div>
        <div class="card-actions">
          <Needs least="admin">
            <ConfirmButton
              label={t.accounts.password}
              question={t.accounts.confirmPassword}
              onConfirm={props.onPassword}
            />
            {account.blocked ? (
              <Button kind="quiet" isSmall onPress={() => props.onBlock(false)}>
                {t.accounts.unblock}
              </Button>
            ) : (
              <ConfirmButton
                label={t.accounts.block}
                question={t.accounts.confirmBlock}
                onConfirm={() => props.onBlock(true)}
              />
            )}
            <DeleteDialog
              label={t.deleting.account}
              title={t.deleting.accountTitle(account.id)}
              name={account.id}
              obstacle={account.blocked ? undefined : t.deleting.blockFirst}
              onDelete={props.onDelete}
            >
              <p>{t.deleting.accountGoes}</p>
              <p>{t.deleting.accountStays}</p>
            </DeleteDialog>
          </Needs>
        </div>
      </header>
      <details class="extras" onToggle={event => setOpen(event.currentTarget.open)}>
        <summary>{t.accounts.settings}</summary>
        {isOpen && <AccountUsage account={account} />}
        <Needs least="admin">
          <AccountSettingsForm account={account} />
        </Needs>
      </details>
    </li>
  );
}

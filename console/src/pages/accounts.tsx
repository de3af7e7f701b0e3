/** Accounts: who may use the gateway. Settings open below the account they belong to. */
import { useState } from 'preact/hooks';
import { AccountSettingsForm } from '../accounts/account-settings-form.tsx';
import { AccountUsage } from '../accounts/account-usage.tsx';
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { DeleteDialog } from '../components/delete-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { TextField } from '../components/field.tsx';
import { Loading } from '../components/loading.tsx';
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
import { useAnswer } from '../gateway/use-answer.ts';
import { useTerm } from '../router.tsx';
import { useWords } from '../words/words.tsx';

export function AccountsPage() {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => listAccounts(signal), []);
  const [secret, setSecret] = useState<{ id: string; password: string } | undefined>();
  const [id, setId] = useState('');
  const [deleted, setDeleted] = useState<{ id: string; keptUntil: string } | undefined>();
  const changing = useAction();

  const create = (event: Event) => {
    event.preventDefault();
    changing.run(async () => {
      setSecret(await createAccount(id.trim()));
      setId('');
      reload();
    });
  };
  return (
    <>
      <PageHead title={t.accounts.title} intro={t.accounts.intro} />
      <form class="card inline-form" onSubmit={create}>
        <Needs least="admin">
          <TextField label={t.accounts.id} value={id} onInput={setId} />
          <button type="submit" class="button button-main" disabled={changing.isRunning || id.trim() === ''}>
            {t.accounts.create}
          </button>
        </Needs>
      </form>
      {secret && <SecretOnce title={t.accounts.passwordOf(secret.id)} secret={secret.password} />}
      {deleted && (
        <p class="notice notice-good" role="status">
          {t.deleting.accountGone(deleted.id)} <Time at={deleted.keptUntil} />
        </p>
      )}
      <RefusalNotice refusal={changing.refusal ?? refusal} />
      {!answer && !refusal && <Loading />}
      {answer?.accounts.length === 0 && <EmptyState title={t.accounts.empty} hint={t.accounts.emptyHint} />}
      <ul class="cards">
        {answer?.accounts.map(account => (
          <AccountCard
            key={account.id}
            account={account}
            onBlock={blocked =>
              changing.run(async () => {
                await changeAccount(account.id, { blocked });
                reload();
              })
            }
            onPassword={() =>
              changing.run(async () => {
                setSecret({ id: account.id, ...(await newPassword(account.id)) });
              })
            }
            onSaved={reload}
            onDelete={async () => {
              setDeleted(await deleteAccount(account.id));
              reload();
            }}
          />
        ))}
      </ul>
    </>
  );
}

function AccountCard(props: {
  account: Account;
  onBlock: (blocked: boolean) => void;
  onPassword: () => void;
  onSaved: () => void;
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
              <button
                type="button"
                class="button button-quiet button-small"
                onClick={() => props.onBlock(false)}
              >
                {t.accounts.unblock}
              </button>
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
          <AccountSettingsForm account={account} onSaved={props.onSaved} />
        </Needs>
      </details>
    </li>
  );
}

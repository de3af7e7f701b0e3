/** One account: its day, its webhook, what it has used of its limits, and its settings. */

import { useState } from 'preact/hooks';
import { AccountSettingsForm } from '../accounts/account-settings-form.tsx';
import { AccountUsage } from '../accounts/account-usage.tsx';
import { BlockedBadge } from '../accounts/blocked-badge.tsx';
import { useAnswer } from '../answers/use-answer.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { DeleteDialog } from '../components/delete-dialog.tsx';
import { Loaded } from '../components/loaded.tsx';
import { Needs } from '../components/needs.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { Time } from '../components/time.tsx';
import {
  type AccountDetail,
  changeAccount,
  deleteAccount,
  newPassword,
  readAccount,
} from '../gateway/accounts.ts';
import { useAction } from '../gateway/use-action.ts';
import { decoded, Link, useRouter } from '../router.tsx';
import { Card, FailuresCard, TrafficCard } from '../today/cards.tsx';
import { AccountWebhook } from '../webhooks/account-webhook.tsx';
import { useWords } from '../words/words.tsx';
import { NotFoundPage } from './not-found.tsx';

export function AccountPage() {
  const t = useWords();
  const { path } = useRouter();
  const id = decoded(path.slice(path.lastIndexOf('/') + 1));
  const [keptUntil, setKeptUntil] = useState<string | undefined>();
  const asked = useAnswer(keptUntil === undefined ? readAccount(id) : undefined);
  if (asked.refusal?.status === 404) return <NotFoundPage />;
  return (
    <>
      <p class="crumb">
        <Link to="/accounts">{t.nav.accounts}</Link>
      </p>
      <PageHead title={id} />
      {keptUntil === undefined ? (
        <Loaded of={asked}>
          {account => <Account key={id} account={account} onDeleted={setKeptUntil} />}
        </Loaded>
      ) : (
        <p class="notice notice-good" role="status">
          {t.deleting.accountGone(id)} <Time at={keptUntil} />
        </p>
      )}
    </>
  );
}

function Account({ account, onDeleted }: { account: AccountDetail; onDeleted: (keptUntil: string) => void }) {
  const t = useWords();
  const { id, blocked } = account;
  const changing = useAction();
  const [password, setPassword] = useState<string | undefined>();
  const block = (isBlocked: boolean) => changing.run(() => changeAccount(id, { blocked: isBlocked }));
  return (
    <>
      <section class="card" aria-label={t.accounts.access}>
        <header class="card-head">
          <div>
            <h2>
              {t.accounts.access} <BlockedBadge account={account} />
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
                onConfirm={() => changing.run(async () => setPassword((await newPassword(id)).password))}
              />
              {blocked ? (
                <Button kind="quiet" isSmall onPress={() => block(false)}>
                  {t.accounts.unblock}
                </Button>
              ) : (
                <ConfirmButton
                  label={t.accounts.block}
                  question={t.accounts.confirmBlock}
                  onConfirm={() => block(true)}
                />
              )}
              <DeleteDialog
                label={t.deleting.account}
                title={t.deleting.accountTitle(id)}
                name={id}
                obstacle={blocked ? undefined : t.deleting.blockFirst}
                onDelete={async () => onDeleted((await deleteAccount(id)).keptUntil)}
              >
                <p>{t.deleting.accountGoes}</p>
                <p>{t.deleting.accountStays}</p>
              </DeleteDialog>
            </Needs>
          </div>
        </header>
        {password !== undefined && <SecretOnce title={t.accounts.passwordOf(id)} secret={password} />}
        <RefusalNotice refusal={changing.refusal} />
      </section>
      <TrafficCard account={id} />
      <FailuresCard account={id} />
      <AccountWebhook account={id} />
      <Card title={t.accounts.usage}>
        <AccountUsage account={account} />
      </Card>
      <Card title={t.accounts.settings}>
        <Needs least="admin">
          <AccountSettingsForm account={account} />
        </Needs>
      </Card>
    </>
  );
}

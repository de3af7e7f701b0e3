/** What an account has used of its quotas. */
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type Account, readAccount, type Used } from '../gateway/accounts.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { useWords } from '../words/words.tsx';

const MEGABYTE = 1_000_000;

/** Loads again when the account is another object: it was changed then. */
export function AccountUsage({ account }: { account: Account }) {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => readAccount(account.id, signal), [account]);
  if (!answer) return <RefusalNotice refusal={refusal} onRetry={reload} />;
  const { forms, reservations, reservationRecipients, reservationBytes, files, fileBytes, tokens } =
    answer.usage;
  const rows: readonly (readonly [label: string, used: string])[] = [
    [t.accounts.forms, countOf(forms)],
    [t.accounts.reservations, countOf(reservations)],
    [t.accounts.reservationRecipients, countOf(reservationRecipients)],
    [t.accounts.reservationBytes, bytesOf(reservationBytes)],
    [t.accounts.files, countOf(files)],
    [t.accounts.fileBytes, bytesOf(fileBytes)],
    [t.accounts.tokens, countOf(tokens)],
  ];
  return (
    <dl class="summary" aria-label={t.accounts.usage}>
      {rows.map(([label, used]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{used}</dd>
        </div>
      ))}
    </dl>
  );

  function countOf({ used, limit }: Used): string {
    return t.accounts.ofLimit(used.toLocaleString('en'), limit.toLocaleString('en'));
  }

  function bytesOf({ used, limit }: Used): string {
    return t.accounts.ofLimit(megabytes(used), `${megabytes(limit)} MB`);
  }
}

function megabytes(bytes: number): string {
  return (bytes / MEGABYTE).toLocaleString('en', { maximumFractionDigits: 1 });
}

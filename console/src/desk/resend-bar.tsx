/** Above a list of messages: chooses the failed ones, and sends the chosen ones again, as they are or through an edited copy. */
import { useEffect, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { Icon } from '../components/icon.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { type MessageRow, type MessageSearch, resendableIn } from '../gateway/messages.ts';
import { type ResendResult, resendMessages } from '../gateway/resend.ts';
import { useAction } from '../gateway/use-action.ts';
import { Link } from '../router.tsx';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import { Choice } from './choice.tsx';
import { copyAddress, MOST_COPIED } from './copy-address.ts';
import { findResendable, MOST_SELECTED, type Selection } from './selection.ts';

export function ResendBar(props: {
  selection: Selection;
  /** Those that are shown. */
  rows: readonly MessageRow[];
  hasMore: boolean;
  search: MessageSearch;
  asked: string;
}) {
  const { selection, rows, hasMore } = props;
  const t = useWords();
  const finding = useAction({ isRead: true });
  const sending = useAction();
  const [results, setResults] = useState<readonly ResendResult[]>([]);
  const [total, setTotal] = useState(0);
  useEffect(() => setResults([]), [props.asked]);
  const chosen = [...selection.rows.values()];
  const shown = resendableIn(rows);
  if (shown.length === 0 && chosen.length === 0 && results.length === 0) return null;

  const resend = () =>
    sending.run(async () => {
      setResults([]);
      setTotal(chosen.length);
      const again = chosen.some(({ resentAs }) => resentAs !== undefined);
      const msgKeys = chosen.map(({ msgKey }) => msgKey);
      const done = await resendMessages({ msgKeys, again }, setResults);
      const notSent = new Set(done.filter(({ newKey }) => newKey === null).map(({ msgKey }) => msgKey));
      selection.set(chosen.filter(({ msgKey }) => notSent.has(msgKey)));
    });

  return (
    <section class="resend" aria-label={t.desk.resend}>
      <Choice selection={selection} shown={shown} label={t.desk.selectShown}>
        {hasMore && (
          <Button
            kind="quiet"
            isSmall
            isDisabled={finding.isRunning}
            onPress={() => finding.run(async () => selection.set(await findResendable(props.search)))}
          >
            {finding.isRunning ? t.desk.selecting : t.desk.selectFound(MOST_SELECTED)}
          </Button>
        )}
      </Choice>
      {chosen.length > 0 && (
        <div class="resend-actions">
          <ConfirmButton
            label={t.desk.resend}
            question={questionOf(chosen, t)}
            onConfirm={resend}
            isMain
            isDisabled={sending.isRunning}
            icon="refresh"
          />
          <CopyLink chosen={chosen} />
        </div>
      )}
      <div class="resend-outcome" role="status">
        {sending.isRunning ? <p>{t.desk.sending(results.length, total)}</p> : <Outcome results={results} />}
      </div>
      <RefusalNotice refusal={sending.refusal ?? finding.refusal} />
    </section>
  );
}

function questionOf(chosen: readonly MessageRow[], t: Words): string {
  const unsure = chosen.filter(({ fate }) => fate === 'unsure').length;
  const isSafe = chosen.every(({ fate }) => fate === 'notTaken');
  const before = chosen.filter(({ resentAs }) => resentAs !== undefined).length;
  return [
    t.desk.resendQuestion(chosen.length),
    unsure > 0 && t.desk.mayHaveArrived(unsure),
    isSafe && t.desk.safe(chosen.length),
    before > 0 && t.desk.sentBefore(before),
  ]
    .filter(Boolean)
    .join(' ');
}

/** To the composer. A draft is of one account, and its address has room for so many keys. */
function CopyLink({ chosen }: { chosen: readonly MessageRow[] }) {
  const t = useWords();
  const accounts = new Set(chosen.map(({ account }) => account));
  const problem =
    accounts.size > 1
      ? t.desk.oneAccount
      : chosen.length > MOST_COPIED
        ? t.desk.tooMany(MOST_COPIED)
        : undefined;
  if (problem !== undefined) {
    return (
      <>
        <Button icon="compose" isDisabled>
          {t.desk.edit}
        </Button>
        <span class="muted">{problem}</span>
      </>
    );
  }
  return (
    <>
      <Link to={copyAddress(chosen)} class="button">
        <Icon name="compose" /> {t.desk.edit}
      </Link>
      <span class="muted">{t.desk.editHint}</span>
    </>
  );
}

function Outcome({ results }: { results: readonly ResendResult[] }) {
  const t = useWords();
  if (results.length === 0) return null;
  const sent = results.filter(({ newKey }) => newKey !== null);
  const [first] = sent;
  const reasons = new Map<string, number>();
  for (const { newKey, result } of results) {
    if (newKey === null) reasons.set(result, (reasons.get(result) ?? 0) + 1);
  }
  return (
    <>
      {first?.newKey && (
        <p>
          {t.desk.sent(sent.length)}{' '}
          <Link to={sent.length === 1 ? `/messages/${first.newKey}` : '/messages'}>{t.desk.showSent}</Link>
        </p>
      )}
      {[...reasons].map(([reason, count]) => (
        <p key={reason} class="resend-refused">
          {t.desk.notSent(count, reason)}
        </p>
      ))}
    </>
  );
}

/** Operators: who may use the console, invitations, and who is signed in. Whoever is no admin sees his own sessions. */
import { Loading } from '../components/loading.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import {
  changeRole,
  endSession,
  listOperators,
  listSessions,
  type OperatorSession,
  revokeOperator,
} from '../gateway/operators.ts';
import { useAction } from '../gateway/use-action.ts';
import { useAnswer } from '../gateway/use-answer.ts';
import { InviteForm } from '../people/invite-form.tsx';
import { OperatorTable } from '../people/operator-table.tsx';
import { SessionTable } from '../people/session-table.tsx';
import { useMay, useSignedOut } from '../session.tsx';
import { useWords } from '../words/words.tsx';

export function OperatorsPage() {
  const t = useWords();
  const isAdmin = useMay('admin');
  const sessions = useSessions();
  return (
    <>
      <PageHead title={t.people.title} intro={isAdmin ? t.people.intro : t.people.ownIntro} />
      {isAdmin && <NamedOperators onChanged={sessions.reload} />}
      <Sessions answer={sessions} />
    </>
  );
}

function NamedOperators({ onChanged }: { onChanged: () => void }) {
  const t = useWords();
  const { answer, refusal, reload } = useAnswer(signal => listOperators(signal), []);
  const changing = useAction();
  const operators = answer?.operators ?? [];
  const isOver = (state: string) => state === 'expired' || state === 'revoked';
  const [current, over] = [false, true].map(wanted =>
    operators.filter(({ state }) => isOver(state) === wanted),
  );
  const change = (work: () => Promise<unknown>) =>
    changing.run(async () => {
      await work();
      reload();
      onChanged();
    });
  const tableOf = (label: string, rows: typeof operators) => (
    <OperatorTable
      label={label}
      operators={rows}
      onRole={({ id }, role) => change(() => changeRole(id, role))}
      onRevoke={({ id }) => change(() => revokeOperator(id))}
    />
  );
  return (
    <>
      <InviteForm onInvited={reload} />
      <RefusalNotice refusal={changing.refusal} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer && (
        <section class="card card-table" aria-label={t.people.operators}>
          <header class="card-head">
            <h2>{t.people.operators}</h2>
          </header>
          {current && current.length > 0 ? (
            tableOf(t.people.operators, current)
          ) : (
            <p class="muted people-none">{t.people.none}</p>
          )}
          {over && over.length > 0 && (
            <details class="extras people-over">
              <summary>{t.people.over(over.length)}</summary>
              {tableOf(t.people.over(over.length), over)}
            </details>
          )}
        </section>
      )}
    </>
  );
}

function Sessions({ answer: { answer, refusal, reload } }: { answer: ReturnType<typeof useSessions> }) {
  const t = useWords();
  const signedOut = useSignedOut();
  const ending = useAction();
  const end = ({ id, isOwn }: OperatorSession) =>
    ending.run(async () => {
      await endSession(id);
      if (isOwn) signedOut();
      else reload();
    });
  return (
    <>
      <RefusalNotice refusal={ending.refusal} />
      <RefusalNotice refusal={refusal} onRetry={reload} />
      {!answer && !refusal && <Loading />}
      {answer && (
        <section class="card card-table" aria-label={t.people.sessions}>
          <header class="card-head">
            <div>
              <h2>{t.people.sessions}</h2>
              <p class="muted">{t.people.sessionsHint}</p>
            </div>
          </header>
          <SessionTable sessions={answer.sessions} onEnd={end} />
        </section>
      )}
    </>
  );
}

const useSessions = () => useAnswer(signal => listSessions(signal), []);

/** Operators: who may use the console, invitations, and who is signed in. Whoever is no admin sees his own sessions. */

import type { OperatorView } from '../../../src/operations/operators.ts';
import { useAnswer } from '../answers/use-answer.tsx';
import { Loaded } from '../components/loaded.tsx';
import { PageHead } from '../components/page-head.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { askMember, operate } from '../gateway/operations.ts';
import { endSession, listSessions, type OperatorSession } from '../gateway/operators.ts';
import { useAction } from '../gateway/use-action.ts';
import { InviteForm } from '../people/invite-form.tsx';
import { OperatorTable } from '../people/operator-table.tsx';
import { SessionTable } from '../people/session-table.tsx';
import { useMay, useSignedOut } from '../session.tsx';
import { useWords } from '../words/words.tsx';

export function OperatorsPage() {
  const t = useWords();
  const isAdmin = useMay('admin');
  return (
    <>
      <PageHead title={t.people.title} intro={isAdmin ? t.people.intro : t.people.ownIntro} />
      {isAdmin && <NamedOperators />}
      <Sessions />
    </>
  );
}

function NamedOperators() {
  const t = useWords();
  const operators = useAnswer(askMember('GET /operators', 'operators', {}));
  const changing = useAction();
  const isOver = ({ state }: OperatorView) => state === 'expired' || state === 'revoked';
  const tableOf = (label: string, rows: readonly OperatorView[]) => (
    <OperatorTable
      label={label}
      operators={rows}
      onRole={({ id: operatorId }, role) =>
        changing.run(() => operate('PATCH /operators/{operatorId}', { operatorId, role }))
      }
      onRevoke={({ id: operatorId }) =>
        changing.run(() => operate('DELETE /operators/{operatorId}', { operatorId }))
      }
    />
  );
  return (
    <>
      <InviteForm />
      <RefusalNotice refusal={changing.refusal} />
      <Loaded of={operators}>
        {all => {
          const [current, over] = [all.filter(each => !isOver(each)), all.filter(isOver)];
          return (
            <section class="card card-table" aria-label={t.people.operators}>
              <header class="card-head">
                <h2>{t.people.operators}</h2>
              </header>
              {current.length > 0 ? (
                tableOf(t.people.operators, current)
              ) : (
                <p class="muted people-none">{t.people.none}</p>
              )}
              {over.length > 0 && (
                <details class="extras people-over">
                  <summary>{t.people.over(over.length)}</summary>
                  {tableOf(t.people.over(over.length), over)}
                </details>
              )}
            </section>
          );
        }}
      </Loaded>
    </>
  );
}

function Sessions() {
  const t = useWords();
  const signedOut = useSignedOut();
  const sessions = useAnswer(listSessions());
  const ending = useAction();
  const end = ({ id, isOwn }: OperatorSession) =>
    ending.run(async () => {
      await endSession(id);
      if (isOwn) signedOut();
    });
  return (
    <>
      <RefusalNotice refusal={ending.refusal} />
      <Loaded of={sessions}>
        {all => (
          <section class="card card-table" aria-label={t.people.sessions}>
            <header class="card-head">
              <div>
                <h2>{t.people.sessions}</h2>
                <p class="muted">{t.people.sessionsHint}</p>
              </div>
            </header>
            <SessionTable sessions={all} onEnd={end} />
          </section>
        )}
      </Loaded>
    </>
  );
}

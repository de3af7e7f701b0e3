/** Who is signed in, from where, with what. */
import { Badge } from '../components/badge.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import type { OperatorSession } from '../gateway/operators.ts';
import { useWords } from '../words/words.tsx';
import { browserName } from './browser-name.ts';

const ADMIN_NAME = 'admin';

export function SessionTable(props: {
  sessions: readonly OperatorSession[];
  onEnd: (session: OperatorSession) => void;
}) {
  const t = useWords();
  const columns: readonly Column<OperatorSession>[] = [
    {
      name: t.people.who,
      cell: ({ name, isOwn }) => (
        <>
          <strong>{name === ADMIN_NAME ? t.roles.adminToken : name}</strong>{' '}
          {isOwn && <Badge tone="good">{t.people.thisSession}</Badge>}
        </>
      ),
    },
    {
      name: t.people.browser,
      cell: ({ agent, address }) => (
        <>
          <span title={agent ?? undefined}>{agent ? browserName(agent) : '–'}</span>
          <br />
          <span class="muted">{address}</span>
        </>
      ),
    },
    { name: t.people.opened, cell: ({ openedAt }) => (openedAt ? <Time at={openedAt} /> : '–') },
    { name: t.people.lastUsed, cell: ({ usedAt }) => (usedAt ? <Time at={usedAt} /> : '–') },
    { name: t.people.ends, cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      name: t.common.actions,
      cell: session => (
        <ConfirmButton
          label={t.people.end}
          question={session.isOwn ? t.people.confirmEndOwn : t.people.confirmEnd}
          onConfirm={() => props.onEnd(session)}
        />
      ),
    },
  ];
  return <Table label={t.people.sessions} columns={columns} rows={props.sessions} keyOf={({ id }) => id} />;
}

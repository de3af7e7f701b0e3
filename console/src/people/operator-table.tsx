/** Named operators: who may use the console, with which role, and until when. */
import { useState } from 'preact/hooks';
import { ROLES, type Role } from '../../../src/domain/operator/role.ts';
import type { OperatorView } from '../../../src/operations/operators.ts';
import { Badge, type Tone } from '../components/badge.tsx';
import { Button } from '../components/button.tsx';
import { ConfirmButton } from '../components/confirm-button.tsx';
import { type Column, Table } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { useSession } from '../session.tsx';
import { lookUp, useWords } from '../words/words.tsx';

const TONES: Readonly<Record<OperatorView['state'], Tone>> = {
  invited: 'busy',
  active: 'good',
  expired: 'plain',
  revoked: 'bad',
};

export function OperatorTable(props: {
  label: string;
  operators: readonly OperatorView[];
  onRole: (operator: OperatorView, role: Role) => void;
  onRevoke: (operator: OperatorView) => void;
}) {
  const t = useWords();
  const own = useSession().name;
  const isOver = (operator: OperatorView) => operator.state === 'expired' || operator.state === 'revoked';
  const columns: readonly Column<OperatorView>[] = [
    { name: t.people.name, cell: ({ name }) => <strong>{name}</strong> },
    {
      name: t.people.role,
      cell: operator =>
        isOver(operator) || operator.name === own ? (
          t.roles.names[operator.role]
        ) : (
          <RolePicker key={operator.role} operator={operator} onPick={role => props.onRole(operator, role)} />
        ),
    },
    {
      name: t.common.state,
      cell: ({ state }) => <Badge tone={TONES[state]}>{lookUp(t.people.states, state)}</Badge>,
    },
    {
      name: t.people.lastUsed,
      cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : t.people.never),
    },
    { name: t.people.ends, cell: ({ revokedAt, expiresAt }) => <Time at={revokedAt ?? expiresAt} /> },
    { name: t.people.addedBy, cell: ({ createdBy }) => createdBy },
    {
      name: t.common.actions,
      cell: operator =>
        isOver(operator) ? (
          ''
        ) : (
          <ConfirmButton
            label={operator.state === 'invited' ? t.people.withdraw : t.people.revoke}
            question={operator.state === 'invited' ? t.people.confirmWithdraw : t.people.confirmRevoke}
            onConfirm={() => props.onRevoke(operator)}
          />
        ),
    },
  ];
  return <Table label={props.label} columns={columns} rows={props.operators} keyOf={({ id }) => id} />;
}

/** A choice does nothing yet: it is confirmed by its button. */
function RolePicker({ operator, onPick }: { operator: OperatorView; onPick: (role: Role) => void }) {
  const t = useWords();
  const [role, setRole] = useState(operator.role);
  return (
    <span class="role-picker">
      <select
        class="input select"
        aria-label={t.people.roleOf(operator.name)}
        value={role}
        onChange={event => setRole(ROLES.find(each => each === event.currentTarget.value) ?? operator.role)}
      >
        {ROLES.map(each => (
          <option key={each} value={each}>
            {t.roles.names[each]}
          </option>
        ))}
      </select>
      {role !== operator.role && (
        <Button kind="danger" isSmall onPress={() => onPick(role)}>
          {t.people.changeRole}
        </Button>
      )}
    </span>
  );
}

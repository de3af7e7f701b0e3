/** Invites an operator: the link is shown once, to be sent to him. */
import { useState } from 'preact/hooks';
import { SelectField, TextField } from '../components/field.tsx';
import { RefusalNotice } from '../components/refusal-notice.tsx';
import { SecretOnce } from '../components/secret-once.tsx';
import { inviteOperator } from '../gateway/operators.ts';
import { ROLES, type Role } from '../gateway/session.ts';
import { useAction } from '../gateway/use-action.ts';
import { useWords } from '../words/words.tsx';

const DEFAULT_DAYS = '90';

export function InviteForm({ onInvited }: { onInvited: () => void }) {
  const t = useWords();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState(DEFAULT_DAYS);
  const [invited, setInvited] = useState<{ name: string; link: string } | undefined>();
  const inviting = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    inviting.run(async () => {
      const lifetimeDays = Number(days);
      const { code, ...operator } = await inviteOperator({ name: name.trim(), role, lifetimeDays });
      // As this browser reaches the gateway, so can whoever is invited.
      setInvited({ name: operator.name, link: `${location.origin}/console/#invite=${code}` });
      setName('');
      onInvited();
    });
  };
  return (
    <section class="card" aria-label={t.people.invite}>
      <h2>{t.people.invite}</h2>
      <p class="muted">{t.people.inviteHint}</p>
      <form class="inline-form invite-form" onSubmit={submit}>
        <TextField label={t.people.name} value={name} onInput={setName} />
        <SelectField
          label={t.people.role}
          value={role}
          options={ROLES.map(each => ({ value: each, label: t.roles.names[each] }))}
          onChange={value => setRole(ROLES.find(each => each === value) ?? 'viewer')}
        />
        <TextField label={t.people.days} type="number" value={days} onInput={setDays} />
        <button
          type="submit"
          class="button button-main"
          disabled={inviting.isRunning || name.trim() === '' || days === ''}
        >
          {t.people.makeLink}
        </button>
      </form>
      <p class="field-hint" role="status">
        {t.people.mays[role]}
      </p>
      <RefusalNotice refusal={inviting.refusal} />
      {invited && <SecretOnce title={t.people.linkFor(invited.name)} secret={invited.link} />}
    </section>
  );
}

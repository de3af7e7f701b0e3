/** Invites an operator: the link is shown once, to be sent to him. */

import { useState } from 'preact/hooks';
import { ROLES, type Role } from '../../../src/domain/operator/role.ts';
import { SelectField, TextField } from '../components/field.tsx';
import { Form } from '../components/form.tsx';
import { optionsOf } from '../components/options.ts';
import { SecretOnce } from '../components/secret-once.tsx';
import { operate } from '../gateway/operations.ts';
import { useWords } from '../words/words.tsx';

const DEFAULT_DAYS = '90';

export function InviteForm() {
  const t = useWords();
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [days, setDays] = useState(DEFAULT_DAYS);
  const [invited, setInvited] = useState<{ name: string; link: string } | undefined>();
  return (
    <section class="card" aria-label={t.people.invite}>
      <h2>{t.people.invite}</h2>
      <p class="muted">{t.people.inviteHint}</p>
      <Form
        class="invite-form"
        isInline
        submit={t.people.makeLink}
        isReady={name.trim() !== '' && days !== ''}
        onSubmit={async () => {
          const lifetimeDays = Number(days);
          const { code, ...operator } = await operate('POST /invitations', {
            name: name.trim(),
            role,
            lifetimeDays,
          });
          // As this browser reaches the gateway, so can whoever is invited.
          setInvited({ name: operator.name, link: `${location.origin}/console/#invite=${code}` });
          setName('');
        }}
      >
        <TextField label={t.people.name} value={name} onInput={setName} />
        <SelectField
          label={t.people.role}
          value={role}
          options={optionsOf(t.roles.names)}
          onChange={value => setRole(ROLES.find(each => each === value) ?? 'viewer')}
        />
        <TextField label={t.people.days} type="number" value={days} onInput={setDays} />
      </Form>
      <p class="field-hint" role="status">
        {t.people.mays[role]}
      </p>
      {invited && <SecretOnce title={t.people.linkFor(invited.name)} secret={invited.link} />}
    </section>
  );
}

/** Controls that need a role: whoever has a lower one sees them switched off, with the role that is needed. */
import type { ComponentChildren } from 'preact';
import type { Role } from '../../../src/domain/operator/role.ts';
import { useMay } from '../session.tsx';
import { useWords } from '../words/words.tsx';

export function Needs({ least, children }: { least: Role; children: ComponentChildren }) {
  const t = useWords();
  const isAllowed = useMay(least);
  return (
    <fieldset
      class="needs"
      disabled={!isAllowed}
      title={isAllowed ? undefined : t.roles.needed(t.roles.names[least])}
    >
      {children}
    </fieldset>
  );
}

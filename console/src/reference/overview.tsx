/** The first page of an API: what it is for, and everything in it. */
import type { Api, ApiReference, Operation } from './document.ts';
import { Markup } from './markup.tsx';
import { MethodBadge } from './method-badge.tsx';
import { Path } from './path.tsx';
import { useReferenceWords } from './words.ts';

export function Overview(props: {
  api: Api;
  reference: ApiReference;
  link: (operation: Operation) => preact.JSX.Element;
}) {
  const t = useReferenceWords();
  const { api, reference } = props;
  return (
    <article class="overview">
      <h1>{api === 'client' ? t.client : t.operator}</h1>
      {api === 'client' && <Markup text={reference.description} />}
      {reference.groups[api].map(group => (
        <section key={group.name} aria-labelledby={`group-${group.name}`}>
          <h2 id={`group-${group.name}`}>{t.tags[group.name] ?? group.name}</h2>
          <Markup text={group.description} />
          <ul class="overview-list">
            {group.operations.map(operation => (
              <li key={operation.id}>
                <MethodBadge method={operation.method} />
                <span>
                  {props.link(operation)} <Path class="muted" path={operation.path} />
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </article>
  );
}

/** Beside the page: which API, the search, and the operations. On a narrow screen it is folded away. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { type Api, type ApiReference, type Operation, search } from './document.ts';
import { MethodBadge } from './method-badge.tsx';
import { hrefOf, isPlainClick } from './places.ts';
import { useReferenceWords } from './words.ts';

export function Navigation(props: {
  api: Api;
  place: string;
  reference: ApiReference;
  onGo: (name: string) => void;
}) {
  const t = useReferenceWords();
  const { api, place, reference } = props;
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const found = useMemo(
    () => (text.trim() === '' ? undefined : search(reference.operations.values(), text)),
    [reference, text],
  );
  useSlash(() => {
    setOpen(true);
    // Once it is shown.
    requestAnimationFrame(() => input.current?.focus());
  });
  const go = (name: string) => {
    setOpen(false);
    props.onGo(name);
  };
  const item = (name: string, label: preact.ComponentChildren) => (
    <a
      href={hrefOf(name)}
      aria-current={name === place ? 'page' : undefined}
      onClick={event => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        go(name);
      }}
    >
      {label}
    </a>
  );
  const row = (operation: Operation) => (
    <li key={operation.id}>
      {item(
        operation.id,
        <>
          <MethodBadge method={operation.method} /> <span>{operation.summary}</span>
        </>,
      )}
    </li>
  );
  return (
    <div class={`reference-side ${isOpen ? 'reference-side-open' : ''}`}>
      <Button
        class="reference-fold"
        icon={isOpen ? 'close' : 'more'}
        isExpanded={isOpen}
        controls="reference-contents"
        onPress={() => setOpen(last => !last)}
      >
        {t.contents}
      </Button>
      <div id="reference-contents" class="reference-contents">
        <search>
          <label>
            <span class="sr-only">{t.search}</span>
            <input
              ref={input}
              type="search"
              value={text}
              placeholder={`${t.searchHint}  /`}
              autocomplete="off"
              onInput={event => setText(event.currentTarget.value)}
              onKeyDown={event => {
                const [first] = found ?? [];
                if (event.key === 'Enter' && first && !event.isComposing) go(first.id);
                if (event.key === 'Escape') setText('');
              }}
            />
          </label>
          <p class="sr-only" aria-live="polite">
            {found && t.found(found.length)}
          </p>
        </search>
        <nav aria-label={t.contents}>
          {found ? (
            <>
              {found.length === 0 && <p class="muted">{t.none}</p>}
              {(['client', 'operator'] as const).map(each => (
                <Section
                  key={each}
                  title={t[each]}
                  rows={found.filter(operation => operation.api === each).map(row)}
                />
              ))}
            </>
          ) : (
            <>
              <ul class="reference-apis">
                <li class={api === 'client' ? 'chosen' : ''}>{item('', t.client)}</li>
                <li class={api === 'operator' ? 'chosen' : ''}>{item('operator', t.operator)}</li>
              </ul>
              {reference.groups[api].map(group => (
                <Section
                  key={group.name}
                  title={t.tags[group.name] ?? group.name}
                  rows={group.operations.map(row)}
                />
              ))}
            </>
          )}
        </nav>
      </div>
    </div>
  );
}

function Section({ title, rows }: { title: string; rows: preact.JSX.Element[] }) {
  if (rows.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      <ul>{rows}</ul>
    </section>
  );
}

/** `/` leads to the search from everywhere but a field. */
function useSlash(act: () => void): void {
  const latest = useRef(act);
  latest.current = act;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches('input, textarea, select');
      if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      latest.current();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

/** Finds anything: a message by key or number, an account, a page. A list below one input; the arrow keys choose. */
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useId, useRef, useState } from 'preact/hooks';
import { useAnswer } from '../answers/use-answer.tsx';
import { useList } from '../answers/use-list.ts';
import { useQuiet } from '../answers/use-quiet.ts';
import { StateBadge } from '../components/badge.tsx';
import { IconButton } from '../components/button.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Time } from '../components/time.tsx';
import { listAccounts } from '../gateway/accounts.ts';
import { findMessages, type MessageRow } from '../gateway/messages.ts';
import { PAGE_GROUPS } from '../navigation.ts';
import { useRouter } from '../router.tsx';
import { useMay } from '../session.tsx';
import type { Words } from '../words/en.ts';
import { LANGUAGES, loadWords, useWords } from '../words/words.tsx';
import { useFindKeys } from './find-keys.ts';
import { accountsFor, messageSearchOf, pagesFor } from './find-terms.ts';

const WAIT_MS = 150;
const MOST_MESSAGES = 8;

interface Found {
  readonly to: string;
  readonly icon: IconName;
  readonly label: string;
  readonly message?: MessageRow;
  /** Beside the label: what opens. */
  readonly aside?: string;
}

interface Group {
  readonly title: string;
  readonly found: readonly Found[];
}

const FindContext = createContext<() => void>(() => {});

/** The finder of the console, and what opens it. It stands beside the pages: on a phone, the sidebar is not shown. */
export function FindProvider({ children }: { children: ComponentChildren }) {
  const t = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const open = useCallback(() => {
    setOpen(true);
    dialog.current?.showModal();
  }, []);
  useFindKeys(open);
  return (
    <FindContext.Provider value={open}>
      {children}
      <dialog ref={dialog} class="dialog find" aria-label={t.find.open} onClose={() => setOpen(false)}>
        {isOpen && <Finder onDone={() => dialog.current?.close()} />}
      </dialog>
    </FindContext.Provider>
  );
}

export function FindButton({ onOpen }: { onOpen: () => void }) {
  const t = useWords();
  const open = useContext(FindContext);
  return (
    <button
      type="button"
      class="find-open"
      aria-keyshortcuts="/ Control+K"
      onClick={() => {
        onOpen();
        open();
      }}
    >
      <Icon name="search" />
      <span>{t.find.open}</span>
      <kbd>/</kbd>
    </button>
  );
}

function Finder({ onDone }: { onDone: () => void }) {
  const t = useWords();
  const id = useId();
  const { go } = useRouter();
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  const { groups, problem, isSearching } = useFound(text);
  const all = groups.flatMap(({ found }) => found);
  const current = all[Math.min(chosen, all.length - 1)];

  useEffect(() => input.current?.focus(), []);
  const currentId = current && idOf(id, all.indexOf(current));
  useEffect(() => {
    if (currentId) document.getElementById(currentId)?.scrollIntoView({ block: 'nearest' });
  }, [currentId]);

  const follow = (found: Found) => {
    onDone();
    if (found.to === API_REFERENCE) location.assign(found.to);
    else go(found.to);
  };
  const pressed = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0 && all.length > 0) {
      event.preventDefault();
      setChosen((Math.min(chosen, all.length - 1) + step + all.length) % all.length);
    } else if (event.key === 'Enter' && !event.isComposing && current) {
      event.preventDefault();
      follow(current);
    }
  };
  return (
    <>
      <div class="find-input">
        <Icon name="search" />
        <input
          ref={input}
          type="text"
          role="combobox"
          aria-label={t.find.label}
          aria-expanded={all.length > 0}
          aria-controls={id}
          aria-autocomplete="list"
          aria-activedescendant={currentId}
          autocomplete="off"
          spellcheck={false}
          placeholder={t.find.label}
          value={text}
          onInput={event => {
            setText(event.currentTarget.value);
            setChosen(0);
          }}
          onKeyDown={pressed}
        />
        <IconButton label={t.find.close} onPress={onDone} icon="close" />
      </div>
      <div id={id} class="find-list" role="listbox" aria-label={t.find.results} hidden={all.length === 0}>
        {groups.map(({ title, found }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, not of inputs
          <div key={title} role="group" aria-label={title}>
            <p class="nav-title" aria-hidden="true">
              {title}
            </p>
            {found.map(each => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the input
              // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the input
              <div
                key={each.to}
                id={idOf(id, all.indexOf(each))}
                role="option"
                aria-selected={each === current}
                class="find-option"
                onPointerMove={() => setChosen(all.indexOf(each))}
                onClick={() => follow(each)}
              >
                <Icon name={each.icon} />
                <span class="find-label">{each.label}</span>
                {each.message && <MessageFacts message={each.message} />}
                {each.aside && <span class="muted">{each.aside}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      {problem && (
        <p class="notice notice-bad" role="alert">
          {problem}
        </p>
      )}
      {all.length === 0 && !problem && (
        <p class="muted find-none">{isSearching ? t.common.loading : t.find.none}</p>
      )}
      <p class="sr-only" aria-live="polite">
        {isSearching ? '' : t.find.found(all.length)}
      </p>
    </>
  );
}

function MessageFacts({ message }: { message: MessageRow }) {
  return (
    <>
      <StateBadge state={message.state} />
      <Time at={message.acceptedAt} />
      <span class="muted" title={message.account}>
        {message.account}
      </span>
    </>
  );
}

const API_REFERENCE = '/docs';

/** What the text finds. Pages are known; accounts are asked for once; messages when the text stays for a moment. */
function useFound(text: string) {
  const t = useWords();
  const isOperator = useMay('operator');
  const spoken = useEveryLanguage(t);
  const { answer: accounts = [] } = useAnswer(listAccounts());
  const quiet = useQuiet(text, WAIT_MS);
  const search = messageSearchOf(text);
  const wanted = messageSearchOf(quiet);
  const asked = useList(wanted && findMessages(wanted));
  const isSearching = search !== undefined && (text !== quiet || asked.isLoading);
  const messages = isSearching || !wanted ? [] : (asked.rows ?? []).slice(0, MOST_MESSAGES);
  const problem = search && asked.refusal?.message;

  const pages = PAGE_GROUPS.flatMap(group => group.pages)
    .filter(page => isOperator || !page.isForOperators)
    .map(({ path, word }) => ({
      to: path,
      icon: word as IconName,
      label: t.nav[word],
      names: spoken.map(words => words.nav[word]),
    }));
  const reference = {
    to: API_REFERENCE,
    icon: 'link' as const,
    label: t.nav.apiReference,
    names: spoken.map(words => words.nav.apiReference),
  };
  const groups: readonly Group[] = [
    {
      title: t.nav.messages,
      found: messages.map(message => ({
        to: `/messages/${encodeURIComponent(message.msgKey)}`,
        icon: 'messages' as const,
        label: message.to,
        message,
      })),
    },
    {
      title: t.nav.accounts,
      found: accountsFor(
        text,
        accounts.map(({ id }) => id),
      ).flatMap(account => {
        const query = new URLSearchParams({ account });
        return [
          {
            to: `/accounts/${encodeURIComponent(account)}`,
            icon: 'accounts' as const,
            label: account,
            aside: t.nav.accounts,
          },
          { to: `/messages?${query}`, icon: 'messages' as const, label: account, aside: t.nav.messages },
        ];
      }),
    },
    { title: t.nav.label, found: pagesFor(text, [...pages, reference]) },
  ].filter(({ found }) => found.length > 0);
  return { groups, problem, isSearching };
}

/** An operator may know the name of a page in either. */
function useEveryLanguage(own: Words): readonly Words[] {
  const [all, setAll] = useState<readonly Words[]>([own]);
  useEffect(() => {
    Promise.all(LANGUAGES.map(loadWords)).then(setAll, () => {});
  }, []);
  return all;
}

function idOf(list: string, index: number): string {
  return `${list}-${index}`;
}

import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { PageBoundary } from './components/page-boundary.tsx';
import { ANNOUNCER } from './components/page-head.tsx';
import { FindProvider } from './find/find.tsx';
import { Attention } from './health/attention.tsx';
import { CurrentPage } from './page.tsx';
import { RouterProvider, useRouter } from './router.tsx';
import { SessionGate } from './session.tsx';
import { Sidebar } from './sidebar.tsx';
import type { Words } from './words/en.ts';
import { keepLanguage, type Language } from './words/language.ts';
import { LanguageContext, loadWords, useWords } from './words/words.tsx';
import { ZoneProvider } from './zone.tsx';

interface Spoken {
  readonly language: Language;
  readonly words: Words;
}

export function App(first: Spoken) {
  const [{ language, words }, setSpoken] = useState<Spoken>(first);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = useCallback((next: Language) => {
    // Where it cannot be loaded, the language stays.
    loadWords(next).then(
      nextWords => {
        keepLanguage(next);
        setSpoken({ language: next, words: nextWords });
      },
      () => {},
    );
  }, []);
  return (
    <LanguageContext.Provider value={{ language, words, choose }}>
      <RouterProvider>
        <SessionGate>
          <ZoneProvider>
            <Shell />
          </ZoneProvider>
        </SessionGate>
      </RouterProvider>
    </LanguageContext.Provider>
  );
}

function Shell() {
  const t = useWords();
  const { path } = useRouter();
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // The link that was followed is gone with its page, and the focus with it: it continues at the new page.
  useEffect(() => {
    if (!isFirst.current && document.activeElement === document.body)
      main.current?.focus({ preventScroll: true });
    isFirst.current = false;
  }, [path]);
  return (
    <FindProvider>
      <div class="shell">
        <a class="skip" href="#content">
          {t.nav.skip}
        </a>
        <Sidebar />
        <main id="content" key={path} ref={main} tabIndex={-1}>
          <PageBoundary>
            <Attention />
          </PageBoundary>
          <PageBoundary>
            <CurrentPage />
          </PageBoundary>
        </main>
        <p id={ANNOUNCER} class="sr-only" aria-live="polite" />
      </div>
    </FindProvider>
  );
}

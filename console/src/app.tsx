import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { ANNOUNCER } from './components/page-head.tsx';
import { FindProvider } from './find/find.tsx';
import { CurrentPage } from './page.tsx';
import { RouterProvider, useRouter } from './router.tsx';
import { SessionGate } from './session.tsx';
import { Sidebar } from './sidebar.tsx';
import { keepLanguage, type Language, readLanguage } from './words/language.ts';
import { LanguageContext, useWords } from './words/words.tsx';
import { ZoneProvider } from './zone.tsx';

export function App() {
  const [language, setLanguage] = useState<Language>(readLanguage);
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = useCallback((next: Language) => {
    keepLanguage(next);
    setLanguage(next);
  }, []);
  return (
    <LanguageContext.Provider value={{ language, choose }}>
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
          <CurrentPage />
        </main>
        <p id={ANNOUNCER} class="sr-only" aria-live="polite" />
      </div>
    </FindProvider>
  );
}

import { useCallback, useEffect, useState } from 'preact/hooks';
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
  return (
    <div class="shell">
      <a class="skip" href="#content">
        {t.nav.skip}
      </a>
      <Sidebar />
      <main id="content" key={path} tabIndex={-1}>
        <CurrentPage />
      </main>
    </div>
  );
}

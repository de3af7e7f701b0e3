/** The API reference: loads the document in the language of the reader and shows one operation at a time. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { keep, read } from '../kept.ts';
import { applyTheme, readTheme, THEMES, type Theme } from '../preferences.ts';
import { keepLanguage, type Language, readLanguage } from '../words/language.ts';
import { useAuthorisation } from './authorisation.ts';
import { Authorise } from './authorise.tsx';
import { type Api, type ApiReference, type Operation, readDocument } from './document.ts';
import { Navigation } from './navigation.tsx';
import { OperationPage } from './operation-page.tsx';
import { Overview } from './overview.tsx';
import { hrefOf, isPlainClick, usePlace } from './places.ts';
import { SAMPLE_LANGUAGES, type SampleLanguage } from './samples.ts';
import { REFERENCE_WORDS } from './texts.ts';
import { LANGUAGE_NAMES, ReferenceLanguage } from './words.ts';

const OPERATOR_PLACE = 'operator';

export function Reference() {
  const [language, setLanguage] = useState<Language>(readLanguage);
  const t = REFERENCE_WORDS[language];
  const [reference, hasFailed, reload] = useReference(language);
  const [place, go] = usePlace();
  const authorisation = useAuthorisation();
  const [sampleLanguage, setSampleLanguage] = useState<SampleLanguage>(readSampleLanguage);
  const main = useRef<HTMLElement>(null);
  const operation = reference?.operations.get(place);
  const api: Api = operation?.api ?? (place === OPERATOR_PLACE ? 'operator' : 'client');
  const title = operation?.summary ?? t[api];

  useEffect(() => {
    document.documentElement.lang = language;
    document.title = `${title} · Bongsu API`;
  }, [language, title]);

  const show = useCallback(
    (name: string) => {
      go(name);
      scrollTo(0, 0);
      main.current?.focus({ preventScroll: true });
    },
    [go],
  );
  const link = (to: Operation) => (
    <a
      href={hrefOf(to.id)}
      onClick={event => {
        if (!isPlainClick(event)) return;
        event.preventDefault();
        show(to.id);
      }}
    >
      {to.summary}
    </a>
  );

  return (
    <ReferenceLanguage.Provider value={language}>
      <div class="reference">
        <a class="skip" href="#content">
          {t.skip}
        </a>
        <header class="reference-head">
          <p class="reference-brand">
            <a href="/docs">
              <strong>Bongsu</strong> API
            </a>
          </p>
          <div class="reference-tools">
            {reference && <Authorise api={api} reference={reference} authorisation={authorisation} />}
            <label>
              <span class="sr-only">{t.language}</span>
              <select
                value={language}
                onChange={event => {
                  const next = event.currentTarget.value as Language;
                  keepLanguage(next);
                  setLanguage(next);
                }}
              >
                {Object.entries(LANGUAGE_NAMES).map(([code, name]) => (
                  <option key={code} value={code}>
                    {name}
                  </option>
                ))}
              </select>
            </label>
            <ThemePicker label={t.theme} names={t.themes} />
            <a href="/openapi.json">{t.download}</a>
            <a href="/console/">{t.console}</a>
          </div>
        </header>
        {reference ? (
          <div class="reference-body">
            <Navigation api={api} place={place} reference={reference} onGo={show} />
            <main id="content" ref={main} tabIndex={-1}>
              {operation ? (
                <OperationPage
                  key={`${operation.id} ${language}`}
                  operation={operation}
                  reference={reference}
                  authorisation={authorisation}
                  sampleLanguage={sampleLanguage}
                  onSampleLanguage={next => {
                    keep('sampleLanguage', next);
                    setSampleLanguage(next);
                  }}
                />
              ) : (
                <>
                  {place !== '' && place !== OPERATOR_PLACE && (
                    <p class="notice notice-bad" role="alert">
                      {t.notFound}
                    </p>
                  )}
                  <Overview api={api} reference={reference} link={link} />
                </>
              )}
            </main>
          </div>
        ) : (
          <main id="content" class="reference-waiting" ref={main} tabIndex={-1}>
            <h1>{t.title}</h1>
            {hasFailed ? (
              <p role="alert">
                {t.failed}{' '}
                <Button icon="refresh" onPress={reload}>
                  {t.tryAgain}
                </Button>
              </p>
            ) : (
              <p>{t.loading}</p>
            )}
          </main>
        )}
      </div>
    </ReferenceLanguage.Provider>
  );
}

function ThemePicker({ label, names }: { label: string; names: Readonly<Record<Theme, string>> }) {
  const [theme, setTheme] = useState<Theme>(readTheme);
  return (
    <label>
      <span class="sr-only">{label}</span>
      <select
        value={theme}
        onChange={event => {
          const next = event.currentTarget.value as Theme;
          applyTheme(next);
          setTheme(next);
        }}
      >
        {THEMES.map(each => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The last document stays while the next one loads. */
function useReference(
  language: Language,
): readonly [reference: ApiReference | undefined, hasFailed: boolean, reload: () => void] {
  const [reference, setReference] = useState<ApiReference>();
  const [hasFailed, setFailed] = useState(false);
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setFailed(false);
    fetch('/openapi.json', { headers: { 'Accept-Language': language }, signal: abort.signal })
      .then(response => (response.ok ? response.json() : Promise.reject(new Error(String(response.status)))))
      .then(document => setReference(readDocument(document, new Date())))
      .catch(() => {
        if (!abort.signal.aborted) setFailed(true);
      });
    return () => abort.abort();
  }, [language, round]);
  return [reference, hasFailed, () => setRound(last => last + 1)];
}

function readSampleLanguage(): SampleLanguage {
  const kept = read('sampleLanguage');
  return SAMPLE_LANGUAGES.find(each => each === kept) ?? 'curl';
}

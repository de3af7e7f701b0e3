/** Navigation: a column on a wide screen; on a phone, a bar at the bottom and a sheet. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from './components/icon.tsx';
import { FindButton } from './find/find.tsx';
import { signOut } from './gateway/session.ts';
import { isCurrent, MAIN_PAGES, PAGE_GROUPS, type Page } from './navigation.ts';
import { applyTheme, forgetTab, readTheme, THEMES } from './preferences.ts';
import { Link, useRouter } from './router.tsx';
import { useMay, useSession, useSignedOut } from './session.tsx';
import { browserZone, ZONE_CHOICES } from './times.ts';
import { LANGUAGE_NAMES, LANGUAGES, useLanguage, useWords } from './words/words.tsx';
import { useZone } from './zone.tsx';

/** Whoever has the admin token; no named operator can be called so. */
const ADMIN_NAME = 'admin';

export function Sidebar() {
  const t = useWords();
  const { path } = useRouter();
  const { mode, version } = useSession();
  const [isOpen, setOpen] = useState(false);
  const isOperator = useMay('operator');
  const pages = useRef<HTMLElement>(null);
  // On a low screen the pages scroll.
  useEffect(() => {
    pages.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [path]);
  const isShown = (page: Page) => isOperator || !page.isForOperators;
  return (
    <>
      <div class={isOpen ? 'sidebar sidebar-open' : 'sidebar'}>
        <p class="brand">
          <img src="/console/beacon.svg" alt="" width="28" height="28" />
          <span>Bongsu</span>
          <span class={`mode mode-${mode}`}>{t.mode[mode]}</span>
        </p>
        <FindButton onOpen={() => setOpen(false)} />
        <nav aria-label={t.nav.label} ref={pages}>
          {PAGE_GROUPS.map(group => (
            <div key={group.word} class="nav-group">
              <p class="nav-title">{t.nav[group.word]}</p>
              <ul>
                {group.pages.filter(isShown).map(page => (
                  <li key={page.path}>
                    <Link to={page.path} isCurrent={isCurrent(page, path)} onGo={() => setOpen(false)}>
                      <Icon name={page.word} />
                      {t.nav[page.word]}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </nav>
        <Preferences />
        <p class="version">
          <a href="/docs">{t.nav.apiReference}</a>
          <span>{version}</span>
        </p>
      </div>
      <nav class="bottom-bar" aria-label={t.nav.more}>
        {MAIN_PAGES.filter(isShown).map(page => (
          <Link
            key={page.path}
            to={page.path}
            isCurrent={!isOpen && isCurrent(page, path)}
            onGo={() => setOpen(false)}
          >
            <Icon name={page.word} />
            <span>{t.nav[page.word]}</span>
          </Link>
        ))}
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'close' : 'more'} />
          <span>{isOpen ? t.nav.close : t.nav.more}</span>
        </button>
      </nav>
    </>
  );
}

function Preferences() {
  const t = useWords();
  const { language, choose } = useLanguage();
  const [theme, setTheme] = useState(readTheme);
  const signedOut = useSignedOut();
  const { name, role } = useSession();
  return (
    <div class="preferences">
      <label>
        <Icon name="language" />
        <span class="sr-only">{t.languageLabel}</span>
        <select value={language} onChange={event => choose(event.currentTarget.value === 'ko' ? 'ko' : 'en')}>
          {LANGUAGES.map(code => (
            <option key={code} value={code} lang={code}>
              {LANGUAGE_NAMES[code]}
            </option>
          ))}
        </select>
      </label>
      <label>
        <Icon name="theme" />
        <span class="sr-only">{t.theme.label}</span>
        <select
          value={theme}
          onChange={event => {
            const picked = THEMES.find(each => each === event.currentTarget.value) ?? 'system';
            setTheme(picked);
            applyTheme(picked);
          }}
        >
          {THEMES.map(each => (
            <option key={each} value={each}>
              {t.theme[each]}
            </option>
          ))}
        </select>
      </label>
      <ZonePreference />
      <p class="signed-in" title={t.roles.signedIn}>
        <Icon name="accounts" />
        <span>{name === ADMIN_NAME ? t.roles.adminToken : `${name} · ${t.roles.names[role]}`}</span>
      </p>
      <button
        type="button"
        onClick={() => {
          forgetTab();
          signOut().then(signedOut, signedOut);
        }}
      >
        <Icon name="out" /> {t.nav.signOut}
      </button>
    </div>
  );
}

function ZonePreference() {
  const t = useWords();
  const { timeZone } = useSession();
  const { choice, choose } = useZone();
  const names = {
    gateway: t.zone.gateway(timeZone),
    browser: t.zone.browser(browserZone()),
    utc: t.zone.utc,
  };
  return (
    <label>
      <Icon name="clock" />
      <span class="sr-only">{t.zone.label}</span>
      <select
        value={choice}
        title={names[choice]}
        onChange={event => {
          const picked = ZONE_CHOICES.find(each => each === event.currentTarget.value);
          if (picked) choose(picked);
        }}
      >
        {ZONE_CHOICES.map(each => (
          <option key={each} value={each}>
            {names[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

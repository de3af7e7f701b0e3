/** The web console of the gateway. It uses only the operator API. */
import { render } from 'preact';
import { App } from './app.tsx';
import { showDirectionMarks } from './direction-marks.ts';
import { pageAt } from './page.tsx';
import { applyTheme, readTheme } from './preferences.ts';
import { pathNow } from './router.tsx';
import { readLanguage } from './words/language.ts';
import { loadWords } from './words/words.tsx';
import './style/tokens.css';
import './style/base.css';
import './style/components.css';
import './style/shell.css';
import './style/health.css';
import './style/pages.css';
import './style/find.css';
import './style/phone.css';
import './style/webhooks.css';
import './style/compose.css';
import './style/desk.css';
import './style/people.css';
import './style/templates.css';
import './style/statistics.css';

applyTheme(readTheme());
showDirectionMarks();
const host = document.getElementById('console');
const language = readLanguage();
// The page is needed a moment later, when it is known who is signed in.
pageAt(pathNow())
  ?.load()
  .catch(() => {});
loadWords(language).then(words => {
  if (host) render(<App language={language} words={words} />, host);
});

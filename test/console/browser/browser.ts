/**
 * The console in a real Chromium, against a real server. Without Chromium such a test is skipped, unless
 * BONGSU_TEST_REQUIRE_PEERS=1 says that it must run.
 */
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import type { Browser, BrowserContextOptions, Download, Page } from 'playwright-core';
import { ADMIN_TOKEN, bearer } from '../../harness/credentials.ts';
import { type Env, type ServerProcess, startServer } from '../../harness/process.ts';
import { openBrowser } from './chromium.ts';

/** Of the gateway's origin, whose storage it can empty, and of nothing else. */
const EMPTY_PAGE = '/empty-page-of-tests';

interface Answer {
  readonly code: string;
  readonly result: string;
  readonly msgKey?: string;
  readonly data?: unknown;
}

export interface Console {
  readonly server: ServerProcess;
  readonly url: string;
  /** A page in a window of its own, not signed in. */
  window(options?: BrowserContextOptions): Promise<Page>;
  /**
   * A page that is signed in and shows this address below /console. The window of a subtest that has ended is used again,
   * as good as new: that takes a fifth of the time of a new one.
   */
  open(path: string, options?: BrowserContextOptions): Promise<Page>;
  /** Calls the operator API as a program would. */
  operate(method: string, path: string, body?: object): Promise<Answer>;
  /** What went wrong in any page: exceptions, and what the browser refused to run or load. */
  readonly faults: readonly string[];
}

/** One server and one browser; both end with the test. */
export async function openConsole(t: TestContext, env: Env = {}): Promise<Console> {
  let browser: Browser | undefined;
  t.after(() => browser?.close());
  const server = await startServer(t, {
    BONGSU_DEMO_ACCOUNT: 'demo:correct horse battery staple',
    BONGSU_ADMIN_TOKEN: ADMIN_TOKEN,
    ...env,
  });
  const running = await openBrowser();
  browser = running;
  const { url } = server;
  const faults: string[] = [];
  const idle = new Map<string, Page[]>();
  let opened: { readonly options: string; readonly page: Page }[] = [];
  // Windows from before the first subtest stay with the test that opened them.
  t.beforeEach(() => {
    opened = [];
  });
  t.afterEach(async () => {
    for (const { options, page } of opened.splice(0)) {
      if (page.isClosed()) continue;
      // What nobody looks at has no live feed to follow.
      await page.goto('about:blank');
      idle.set(options, [...(idle.get(options) ?? []), page]);
    }
  });

  async function emptyWindow(options?: BrowserContextOptions): Promise<Page> {
    const key = JSON.stringify(options ?? {});
    const used = idle.get(key)?.pop();
    if (used) {
      await used.context().clearCookies();
      await used.emulateMedia({ colorScheme: options?.colorScheme ?? null });
      await used.route(`${url}${EMPTY_PAGE}`, route =>
        route.fulfill({ contentType: 'text/html', body: '<link rel="icon" href="data:,">' }),
      );
      await used.goto(`${url}${EMPTY_PAGE}`);
      await used.evaluate('localStorage.clear(); sessionStorage.clear()');
      // Left on, every request would make a detour through the test.
      await used.unrouteAll();
    }
    const page = used ?? (await window(options));
    opened.push({ options: key, page });
    return page;
  }

  async function window(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await running.newContext({ locale: 'en-US', ...options });
    const page = await context.newPage();
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => {
      // A session that is not there yet is answered 401, which the browser calls an error.
      if (message.type() === 'error' && !message.text().includes('401')) faults.push(message.text());
    });
    return page;
  }

  return {
    server,
    url,
    faults,
    window,
    async open(path, options) {
      const page = await emptyWindow(options);
      const { headers } = await fetch(`${url}/admin/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token: ADMIN_TOKEN }),
      });
      const [name = '', value = ''] = (headers.get('set-cookie') ?? '').split(';')[0]?.split('=') ?? [];
      await page.context().addCookies([{ name, value, url }]);
      await page.goto(`${url}/console${path}`);
      await page.locator('main h1').first().waitFor();
      return page;
    },
    async operate(method, path, body) {
      const isForm = body instanceof FormData;
      const response = await fetch(`${url}/admin/v1${path}`, {
        method,
        headers: {
          ...bearer(ADMIN_TOKEN),
          ...(body && !isForm && { 'content-type': 'application/json' }),
        },
        ...(body && { body: isForm ? body : JSON.stringify(body) }),
      });
      const answer = (await response.json()) as Answer;
      if (answer.code !== 'A000') throw new Error(`${method} ${path}: ${answer.code} ${answer.result}`);
      return answer;
    },
  };
}

/** What a page saves: the browser of a whole run is another process, which hands the bytes over. */
export async function savedText(download: Download): Promise<string> {
  return text(await download.createReadStream());
}

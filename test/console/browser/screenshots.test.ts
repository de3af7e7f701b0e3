/**
 * Pictures for the README. Every run makes them in a scratch directory, to test that they can be made; with
 * BONGSU_TEST_SCREENSHOTS=docs/images they replace the ones in the repository.
 */
import assert from 'node:assert/strict';
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { scratchDirectory } from '../../harness/scratch.ts';
import { until } from '../../harness/until.ts';
import { type Console, openConsole } from './browser.ts';
import { withoutBrowser } from './chromium.ts';

const MOST_BYTES = 150_000;

interface Picture {
  readonly name: string;
  readonly path: (keys: Keys) => string;
  readonly language: 'en-US' | 'ko-KR';
  readonly theme: 'light' | 'dark';
  /** Text that is there when the page is ready. */
  readonly shows: string;
}

interface Keys {
  readonly fallback: string;
}

const PICTURES: readonly Picture[] = [
  {
    name: 'console-message',
    path: ({ fallback }) => `/messages/${fallback}`,
    language: 'en-US',
    theme: 'dark',
    shows: 'Fallback started',
  },
  {
    name: 'console-compose-ko',
    path: () => '/compose',
    language: 'ko-KR',
    theme: 'light',
    shows: '발송 가능',
  },
];

const RCS = {
  from: '0212345678',
  to: '01012340002',
  brandKey: 'BR.bongsu',
  formatId: 'SS000000',
  ref: 'order-1042',
  content: { standalone: { text: '주문하신 상품이 오늘 도착합니다.\n배송 조회는 아래 버튼을 눌러 주세요.' } },
  fallback: { type: 'SMS', from: '0212345678', text: '[봉수상회] 주문하신 상품이 오늘 도착합니다.' },
};

/** A little traffic, so that there is something to see. */
async function traffic(console: Console): Promise<Keys> {
  const sms = (to: string) =>
    console.operate('POST', '/accounts/demo/send/sms', {
      from: '0212345678',
      to,
      text: '[봉수상회] 배송이 시작되었습니다.',
    });
  for (let round = 0; round < 12; round++) await sms(`0101234${String(5600 + round)}`);
  for (const end of ['0001', '0005', '0006']) await sms(`0101234${end}`);
  const { msgKey = '' } = await console.operate('POST', '/accounts/demo/send/rcs', RCS);
  return { fallback: msgKey };
}

test('pictures of the console', { skip: withoutBrowser }, async t => {
  const console = await openConsole(t, { BONGSU_SIMULATOR_LATENCY: '50-300ms' });
  const directory = process.env.BONGSU_TEST_SCREENSHOTS ?? scratchDirectory();
  mkdirSync(directory, { recursive: true });
  const keys = await traffic(console);
  for (const { name, path, language, theme, shows } of PICTURES) {
    await t.test(name, async () => {
      const viewport = { width: 1280, height: 860 };
      const page = await console.open(path(keys), { locale: language, colorScheme: theme, viewport });
      await page.getByText(shows).first().waitFor();
      await until('nothing is loading', async () => (await page.locator('.loading').count()) === 0);
      const file = join(directory, `${name}.png`);
      await page.screenshot({ path: file, animations: 'disabled' });
      const { size } = statSync(file);
      assert.ok(size > 20_000 && size < MOST_BYTES, `${size} bytes`);
      await page.context().close();
    });
  }
});

/** Barriers for people who use a keyboard or a screen reader, or see less: what axe finds serious or critical. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Told so that they can be found. `rules` are options of axe. */
export async function barriers(page: Page, rules = ''): Promise<string[]> {
  // Evaluated from outside, so that the page's policy against scripts of others stays as it is; once for each page.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(
    `axe.run({ resultTypes: ["violations"], ${rules} }).then(result => result.violations)`,
  )) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
}

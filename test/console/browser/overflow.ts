/**
 * What does not fit on a page: text that is cut, words that are broken, parts that stand out of their card or of the screen.
 * Measured in the page itself; what scrolls or is cut on purpose (its whole text is in its title) is left alone.
 */
import type { Page } from 'playwright-core';

export async function overflows(page: Page): Promise<string[]> {
  return (await page.evaluate(MEASURE)) as string[];
}

/** Runs in the browser, therefore written as text: its names are not ours. */
const MEASURE = `(async () => {
  // Parts that follow the width do so with the next frame.
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  const SLACK = 1.5;
  /** A longer word, such as a key or an address, may be broken. */
  const LONGEST_WHOLE_WORD = 16;
  const found = [];
  const name = element => {
    const own = element.tagName.toLowerCase() + [...element.classList].map(word => '.' + word).join('');
    const near = element.parentElement?.closest('[class]');
    const text = String(element.value || element.textContent).trim().replace(/\\s+/g, ' ').slice(0, 40);
    return (near ? '.' + near.classList[0] + ' ' : '') + own + ' "' + text + '"';
  };
  const styles = new Map();
  const styleOf = element => {
    let style = styles.get(element);
    if (!style) styles.set(element, style = getComputedStyle(element));
    return style;
  };
  const scrolls = element => !element.classList.contains('sidebar') && /auto|scroll/.test(styleOf(element).overflowX);
  const isInside = (element, test) => {
    for (let at = element; at && at !== document.body; at = at.parentElement) if (test(at)) return at;
  };
  const isSeen = element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    && !isInside(element, at => at.classList.contains('sr-only') || at.classList.contains('skip'));

  const width = document.documentElement.scrollWidth;
  if (width > innerWidth) found.push('the page is ' + width + ' wide');

  const canvas = document.createElement('canvas').getContext('2d');
  for (const element of document.querySelectorAll('#console *, #reference *')) {
    if (element.closest('svg, .phone, .u-wrap') || !isSeen(element)) continue;
    const box = element.getBoundingClientRect();
    if (box.width === 0) continue;
    const style = styleOf(element);
    if (element.tagName === 'SELECT') {
      canvas.font = style.font;
      const text = element.selectedOptions[0]?.textContent ?? '';
      const room = element.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight) - 16;
      if (canvas.measureText(text).width > room && !element.title) found.push('cut: ' + name(element));
    } else if (element.tagName === 'INPUT') {
      if (/datetime|date|time/.test(element.type) && element.scrollWidth > element.clientWidth + SLACK) found.push('cut: ' + name(element));
    } else if (/hidden|clip/.test(style.overflowX) && element.scrollWidth > element.clientWidth + SLACK && !element.closest('[title]')) {
      found.push('cut: ' + name(element));
    }
    const frame = isInside(element.parentElement, at => scrolls(at) || at.matches('.card, .code-block, main, .sidebar, .bottom-bar'));
    if (frame && !scrolls(frame)) {
      const room = frame.getBoundingClientRect();
      if (box.right > room.right + SLACK || box.left < room.left - SLACK) found.push('out of its ' + frame.className + ': ' + name(element));
    }
    if (element.matches('.badge, .button, .mode, .brand > span, th, time, .tabs button, .nav-group a, dt')
        && linesOf(element) > 1) found.push('on several lines: ' + name(element));
  }

  function linesOf(element) {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [...range.getClientRects()].filter(({ width }) => width > 1).map(({ bottom }) => bottom);
    return tops.length === 0 ? 0 : 1 + (Math.max(...tops) - Math.min(...tops) > 12 ? 1 : 0);
  }

  const walker = document.createTreeWalker(document.querySelector('#console, #reference'), NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (!parent || parent.closest('svg, .phone, pre, option, textarea, .key, .long, .u-wrap') || !isSeen(parent)) continue;
    range.selectNodeContents(node);
    if (range.getClientRects().length < 2) continue;
    for (const match of node.data.matchAll(/[^\\s\\u002d\\u2013\\/(]+/g)) {
      if (match[0].length > LONGEST_WHOLE_WORD) continue;
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) found.push('broken word "' + match[0] + '" in ' + name(parent));
    }
  }
  return [...new Set(found)];
})()`;

/** The pages of the console, in the order and groups in which they are shown. */
import type { IconName } from './components/icon.tsx';
import type { Words } from './words/en.ts';

export interface Page {
  readonly path: string;
  readonly word: keyof Words['nav'] & IconName;
  /** Of no use to a viewer. */
  readonly isForOperators?: true;
}

export interface PageGroup {
  readonly word: keyof Words['nav'];
  readonly pages: readonly Page[];
}

export const PAGE_GROUPS: readonly PageGroup[] = [
  {
    word: 'observe',
    pages: [
      { path: '/', word: 'today' },
      { path: '/live', word: 'live' },
      { path: '/failures', word: 'failures' },
      { path: '/messages', word: 'messages' },
      { path: '/inbound', word: 'inbound' },
      { path: '/statistics', word: 'statistics' },
      { path: '/reports', word: 'reports', isForOperators: true },
    ],
  },
  {
    word: 'send',
    pages: [
      { path: '/compose', word: 'compose', isForOperators: true },
      { path: '/reservations', word: 'reservations' },
      { path: '/templates', word: 'templates' },
      { path: '/files', word: 'files' },
      { path: '/forms', word: 'forms' },
    ],
  },
  {
    word: 'setUp',
    pages: [
      { path: '/accounts', word: 'accounts' },
      { path: '/registry', word: 'registry' },
      { path: '/optouts', word: 'optOuts' },
      { path: '/carriers', word: 'carriers' },
      { path: '/routes', word: 'routes' },
      { path: '/webhooks', word: 'webhooks' },
    ],
  },
  {
    word: 'system',
    pages: [
      { path: '/simulator', word: 'simulator' },
      { path: '/nodes', word: 'nodes' },
      { path: '/operators', word: 'operators' },
      { path: '/audit', word: 'audit' },
    ],
  },
];

/** Always visible on a phone. */
export const MAIN_PAGES: readonly Page[] = [
  { path: '/', word: 'today' },
  { path: '/messages', word: 'messages' },
  { path: '/compose', word: 'compose', isForOperators: true },
  { path: '/failures', word: 'failures' },
];

export function isCurrent(page: Page, path: string): boolean {
  return page.path === '/' ? path === '/' : path === page.path || path.startsWith(`${page.path}/`);
}

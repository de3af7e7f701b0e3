/** Hand-drawn icons: single strokes on a 20-unit grid, in the colour of the surrounding text. */

const PATHS = {
  today:
    'M10 13.500a3.500 3.500 0 1 0 0-7 3.500 3.500 0 0 0 0 7zM10 1.500v2M10 16.500v2M1.500 10h2M16.500 10h2M4 4l1.500 1.500M14.500 14.500L16 16M4 16l1.500-1.500M14.500 5.500L16 4',
  live: 'M2 10h4l2-6 4 12 2-6h4',
  failures: 'M10 3l8 14H2zM10 8v4M10 14.5v.01',
  messages: 'M3 4h14v10H8l-4 3v-3H3z',
  inbound: 'M3 4h14v10H8l-4 3v-3H3zM10 6v5M7.5 8.5L10 11l2.500-2.500',
  statistics: 'M3 17h14M5 17v-5M10 17V7M15 17V3',
  reports: 'M5 2h7l4 4v12H5zM8 10h5M8 13h5',
  compose: 'M3 17l1-4L14 3l3 3L7 16zM12 5l3 3',
  files: 'M3 4h14v12H3zM3 13l4-4 4 4 2-2 4 4M12.5 7.5h.01',
  forms: 'M3 3h14v5H3zM3 12h6v5H3zM13 12h4M13 17h4',
  reservations: 'M3 4h14v13H3zM3 8h14M7 2v3M13 2v3M10 11v2.5h2',
  templates: 'M4 3h12v14H4zM7 7h6M7 10h6M7 13h3',
  accounts: 'M10 10a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM3 17c1-3.5 4-5 7-5s6 1.5 7 5',
  registry: 'M4 3h12v14l-6-3-6 3z',
  optOuts: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM4.500 4.500l11 11',
  carriers: 'M10 11v6M10 8.5v.01M6 12a5.5 5.5 0 1 1 8 0M3.5 14.5a9 9 0 1 1 13 0',
  routes: 'M4 17V9a4 4 0 0 1 4-4h8M13 2l3 3-3 3M4 17a1.5 1.5 0 1 0 0-.01',
  webhooks: 'M7 13a4 4 0 1 1-2-5M10 3a4 4 0 0 1 3 6l3 4M13 17a4 4 0 0 0 1-7M7 15h6',
  simulator: 'M4 3v6M4 13v4M2 11h4M10 3v2M10 9v8M8 7h4M16 3v8M16 15v2M14 13h4',
  audit: 'M10 5v5l3 2M10 18a8 8 0 1 0-8-8M2 4v6h6',
  nodes: 'M3 3h14v5H3zM3 12h14v5H3zM6 5.500h.01M6 14.500h.01',
  operators:
    'M7 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM1.5 16.5c.6-3 2.8-4.5 5.5-4.5s4.9 1.500 5.5 4.5M12.5 3.7a3 3 0 0 1 0 5.6M14.5 12.3c2 .5 3.4 2 4 4.2',
  more: 'M3 5h14M3 10h14M3 15h14',
  close: 'M4 4l12 12M16 4L4 16',
  pause: 'M7 4v12M13 4v12',
  play: 'M6 4l10 6-10 6z',
  copy: 'M7 7h10v10H7zM13 7V3H3v10h4',
  check: 'M3 10l5 5 9-10',
  up: 'M10 16V4M5 9l5-5 5 5',
  down: 'M10 4v12M5 11l5 5 5-5',
  left: 'M12 4l-6 6 6 6',
  right: 'M8 4l6 6-6 6',
  add: 'M10 3v14M3 10h14',
  refresh: 'M16 4v4h-4M16 8a7 7 0 1 0 1 4',
  search: 'M9 15A6 6 0 1 0 9 3a6 6 0 0 0 0 12zM13.5 13.5L18 18',
  link: 'M8 12l4-4M9 6l2-2a3.5 3.5 0 0 1 5 5l-2 2M11 14l-2 2a3.5 3.5 0 0 1-5-5l2-2',
  language: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM2 10h16M10 2c-6 5-6 11 0 16 6-5 6-11 0-16',
  theme:
    'M10 14a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM10 1v2M10 17v2M1 10h2M17 10h2M4 4l1 1M15 15l1 1M4 16l1-1M15 5l1-1',
  clock: 'M10 18a8 8 0 1 0 0-16 8 8 0 0 0 0 16zM10 5v5l3 2',
  out: 'M8 3H3v14h5M8 10h9M13 6l4 4-4 4',
  download: 'M10 3v10M5 9l5 5 5-5M3 17h14',
  phone: 'M6 2h8v16H6zM9 15.5h2',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** What a person calls the browser that sent this header: `Chrome · Windows`. The first that matches. */

const BROWSERS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Whale', /Whale\//],
  ['Samsung Internet', /SamsungBrowser\//],
  ['Edge', /Edg(e|A|iOS)?\//],
  ['Opera', /OPR\//],
  ['Firefox', /(Firefox|FxiOS)\//],
  ['Chrome', /(Chrome|CriOS)\//],
  ['Safari', /Safari\//],
];

const SYSTEMS: readonly (readonly [name: string, mark: RegExp])[] = [
  ['Windows', /Windows/],
  ['Android', /Android/],
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['macOS', /Mac OS X/],
  ['ChromeOS', /CrOS/],
  ['Linux', /Linux/],
];

const SHORTEST = 40;

export function browserName(agent: string): string {
  const names = [BROWSERS, SYSTEMS].flatMap(table => table.find(([, mark]) => mark.test(agent))?.[0] ?? []);
  return names.length > 0 ? names.join(' · ') : agent.slice(0, SHORTEST);
}

/** Addresses below /docs, without a page load between them: `/docs`, `/docs/operator`, `/docs/sendSms`. */
import { useCallback, useEffect, useState } from 'preact/hooks';

const BASE = '/docs';

/** '' is the overview of the client API. */
export function hrefOf(name: string): string {
  return name === '' ? BASE : `${BASE}/${name}`;
}

export function usePlace(): readonly [name: string, go: (name: string) => void] {
  const [name, setName] = useState(placeNow);
  useEffect(() => {
    const moved = () => setName(placeNow());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  const go = useCallback((to: string) => {
    history.pushState(null, '', hrefOf(to));
    setName(to);
  }, []);
  return [name, go];
}

function placeNow(): string {
  return decodeURI(location.pathname)
    .slice(BASE.length)
    .replaceAll(/^\/+|\/+$/g, '');
}

/** Whether a click follows the link here, and not in a new tab. */
export function isPlainClick(event: MouseEvent): boolean {
  return event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
}

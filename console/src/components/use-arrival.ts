/** For a part of a page that the address names: it is scrolled to, and the keyboard continues there. */
import { useEffect, useRef } from 'preact/hooks';

export function useArrival<Part extends HTMLElement>(isNamed: boolean) {
  const part = useRef<Part>(null);
  useEffect(() => {
    if (!isNamed) return;
    part.current?.scrollIntoView({ block: 'start' });
    part.current?.focus({ preventScroll: true });
  }, [isNamed]);
  return part;
}

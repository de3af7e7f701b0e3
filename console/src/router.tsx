/** Addresses under /console/, without a page load between them. Links are real links: they open in a new tab as well. */
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';

const BASE = '/console';

export interface Place {
  /** Begins with a slash, without the base. */
  readonly path: string;
  readonly query: URLSearchParams;
}

interface Router extends Place {
  readonly go: (to: string) => void;
  /** Changes one term of the query in place; an empty one leaves it. */
  readonly setTerm: (name: string, value: string) => void;
}

const RouterContext = createContext<Router>({
  path: '/',
  query: new URLSearchParams(),
  go: () => {},
  setTerm: () => {},
});

export function RouterProvider({ children }: { children: ComponentChildren }) {
  const [place, setPlace] = useState(placeNow);

  useEffect(() => {
    const moved = () => setPlace(placeNow());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);

  const go = useCallback((to: string) => {
    history.pushState(null, '', BASE + to);
    setPlace(placeNow());
    scrollTo(0, 0);
  }, []);

  const setTerm = useCallback((name: string, value: string) => {
    const address = new URL(location.href);
    if (value === '') address.searchParams.delete(name);
    else address.searchParams.set(name, value);
    history.replaceState(history.state, '', address);
    setPlace(placeNow());
  }, []);

  return <RouterContext.Provider value={{ ...place, go, setTerm }}>{children}</RouterContext.Provider>;
}

export function useRouter(): Router {
  return useContext(RouterContext);
}

/** A filter that is part of the address, so that it is there after a reload, behind the back button and in a shared link. */
export function useTerm(name: string): readonly [string, (value: string) => void] {
  const { query, setTerm } = useRouter();
  return [query.get(name) ?? '', value => setTerm(name, value)];
}

/** A part of a path as it was meant; one that is no valid escape is taken as it is, and finds nothing. */
export function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function Link(props: {
  to: string;
  children: ComponentChildren;
  class?: string;
  isCurrent?: boolean;
  onGo?: () => void;
}) {
  const { go } = useRouter();
  const follow = (event: MouseEvent) => {
    const isPlain =
      event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!isPlain) return;
    event.preventDefault();
    props.onGo?.();
    go(props.to);
  };
  return (
    <a
      href={BASE + props.to}
      class={props.class}
      aria-current={props.isCurrent ? 'page' : undefined}
      onClick={follow}
    >
      {props.children}
    </a>
  );
}

function placeNow(): Place {
  return { path: pathNow(), query: new URLSearchParams(location.search) };
}

/** The path of the address without the base. */
export function pathNow(): string {
  return (location.pathname.startsWith(BASE) && location.pathname.slice(BASE.length)) || '/';
}

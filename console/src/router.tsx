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
}

const RouterContext = createContext<Router>({ path: '/', query: new URLSearchParams(), go: () => {} });

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

  return <RouterContext.Provider value={{ ...place, go }}>{children}</RouterContext.Provider>;
}

export function useRouter(): Router {
  return useContext(RouterContext);
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
  const path = location.pathname.startsWith(BASE) ? location.pathname.slice(BASE.length) : '/';
  return { path: path === '' ? '/' : path, query: new URLSearchParams(location.search) };
}

/** The name and logo under which a sender is known to recipients. Asked for once the key is no longer being typed. */
import { useEffect, useState } from 'preact/hooks';
import { type Appearance, readAppearance } from '../gateway/registry.ts';

const QUIET_MS = 250;
const UNKNOWN: Appearance = { name: null, logo: null };

/** Undefined until it is known. */
export function useAppearance(account: string | undefined, key: string | undefined): Appearance | undefined {
  const [found, setFound] = useState<Appearance & { readonly of: string }>({ ...UNKNOWN, of: '' });
  const wanted = account && key ? `${account}/${key}` : '';

  useEffect(() => {
    if (!account || !key) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      // Without an answer the phone shows the key, as it does for a sender that is not registered.
      readAppearance(account, key, abort.signal).then(
        answer => setFound({ ...answer, of: wanted }),
        () => {},
      );
    }, QUIET_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted]);

  if (wanted === '') return UNKNOWN;
  return found.of === wanted ? found : undefined;
}

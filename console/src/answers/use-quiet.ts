/** What is being typed, once it has stayed the same for a moment. */
import { useEffect, useState } from 'preact/hooks';

const QUIET_MS = 250;

export function useQuiet(typed: string, quietMs = QUIET_MS): string {
  const [quiet, setQuiet] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(typed), quietMs);
    return () => clearTimeout(timer);
  }, [typed, quietMs]);
  return quiet;
}

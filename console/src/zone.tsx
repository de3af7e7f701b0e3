/** The time zone that the console shows and understands: the gateway's unless a person chooses another. */
import { type ComponentChildren, createContext } from 'preact';
import { useCallback, useContext, useMemo, useState } from 'preact/hooks';
import { keepZone, readZone } from './preferences.ts';
import { useSession } from './session.tsx';
import { type ZoneChoice, zoneOf } from './times.ts';

interface Zone {
  /** Name of the zone, such as `Asia/Seoul`. */
  readonly zone: string;
  readonly choice: ZoneChoice;
  readonly choose: (choice: ZoneChoice) => void;
}

const ZoneContext = createContext<Zone>({ zone: 'UTC', choice: 'utc', choose: () => {} });

export function ZoneProvider({ children }: { children: ComponentChildren }) {
  const { timeZone } = useSession();
  const [choice, setChoice] = useState(readZone);
  const choose = useCallback((next: ZoneChoice) => {
    keepZone(next);
    setChoice(next);
  }, []);
  const value = useMemo(
    () => ({ zone: zoneOf(choice, timeZone), choice, choose }),
    [choice, timeZone, choose],
  );
  return <ZoneContext.Provider value={value}>{children}</ZoneContext.Provider>;
}

export function useZone(): Zone {
  return useContext(ZoneContext);
}

/** What authorises calls from this page. It is kept in this tab until it is closed, and the password not at all. */
import { useState } from 'preact/hooks';

export interface Authorisation {
  /** Of an account, and whose it is where that is known. */
  readonly token?: string;
  readonly account?: string;
  readonly operatorToken?: string;
}

export interface KeptAuthorisation extends Authorisation {
  readonly keep: (changes: Authorisation) => void;
  readonly forget: (...names: (keyof Authorisation)[]) => void;
}

const NAME = 'bongsu.reference';

export function useAuthorisation(): KeptAuthorisation {
  const [kept, setKept] = useState(read);
  const write = (next: Authorisation) => {
    setKept(next);
    try {
      sessionStorage.setItem(NAME, JSON.stringify(next));
    } catch {
      // Storage is disabled in this browser: it lasts until the page is left.
    }
  };
  return {
    ...kept,
    keep: changes => write({ ...kept, ...changes }),
    forget: (...names) =>
      write(Object.fromEntries(Object.entries(kept).filter(([name]) => !names.some(each => each === name)))),
  };
}

function read(): Authorisation {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(NAME) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

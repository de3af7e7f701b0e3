import { userInfo } from 'node:os';
import type { Author } from '../operate/audit.ts';

/** Whoever may open the store is an admin; the log keeps the name that the system has for him. */
export function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return 'unknown';
  }
}

/** Whose change a command makes. */
export function commandAuthor(): Author {
  return { who: 'cli', name: systemUser(), operatorId: undefined };
}

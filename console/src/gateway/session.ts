import type { Role } from '../../../src/domain/operator/role.ts';
import { call } from './call.ts';

export interface Session {
  readonly name: string;
  readonly role: Role;
  /** Whether numbers and texts of messages are masked. */
  readonly masked: boolean;
  readonly mode: 'sandbox' | 'production';
  readonly version: string;
  readonly headerPrefix: string;
  readonly publicUrl: string | null;
  readonly timeZone: string;
}

export const readSession = (signal?: AbortSignal) =>
  call<Session>('GET', '/session', { ...(signal && { signal }) });

/** By the token of an operator, or by the one-time code of the link that the terminal shows. */
export const signIn = (secret: { readonly token: string } | { readonly code: string }) =>
  call<{ expiresAt: string }>('POST', '/session', { body: secret });

export const signOut = () => call<void>('DELETE', '/session');

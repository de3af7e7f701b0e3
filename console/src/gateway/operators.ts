import { readMember } from '../answers/question.ts';
import { call, pathOf } from './call.ts';
import type { Role } from './session.ts';

export interface Operator {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly state: 'invited' | 'active' | 'expired' | 'revoked';
  readonly createdAt: string;
  readonly createdBy: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

export interface OperatorSession {
  readonly id: string;
  readonly name: string;
  readonly operatorId: string | null;
  readonly role: Role;
  readonly address: string | null;
  readonly agent: string | null;
  readonly openedAt: string | null;
  readonly usedAt: string | null;
  readonly expiresAt: string;
  readonly isOwn: boolean;
}

export interface Joined {
  readonly name: string;
  readonly role: Role;
  readonly token: string;
  readonly expiresAt: string;
}

export const listOperators = () => readMember<readonly Operator[]>('/operators', 'operators');

export const inviteOperator = (operator: { name: string; role: Role; lifetimeDays: number }) =>
  call<Operator & { readonly code: string }>('POST', '/invitations', { body: operator });

export const changeRole = (id: string, role: Role) =>
  call<Operator>('PATCH', pathOf('operators', id), { body: { role } });

export const revokeOperator = (id: string) => call<Operator>('DELETE', pathOf('operators', id));

export const acceptInvitation = (code: string) =>
  call<Joined>('POST', '/invitations/accept', { body: { code } });

export const listSessions = () => readMember<readonly OperatorSession[]>('/sessions', 'sessions');

export const endSession = (id: string) => call<OperatorSession>('DELETE', pathOf('sessions', id));

import type { Role } from '../../../src/domain/operator/role.ts';
import { readMember } from '../answers/question.ts';
import { call, pathOf } from './call.ts';

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

export const acceptInvitation = (code: string) =>
  call<Joined>('POST', '/invitations/accept', { body: { code } });

export const listSessions = () => readMember<readonly OperatorSession[]>('/sessions', 'sessions');

export const endSession = (id: string) => call<OperatorSession>('DELETE', pathOf('sessions', id));

/**
 * The operator's tools in somebody's hands: each change that succeeds is followed by its entry in the audit log. The
 * API and the command line change things through these and in no other way.
 */
import type { Files } from '../accept/files.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Reports } from '../report/reports.ts';
import type { Accounts } from './accounts.ts';
import type { RecordChange } from './audit.ts';
import type { ChaosControl } from './chaos.ts';
import type { InboundDesk } from './inbound.ts';
import type { Privacy } from './privacy.ts';
import type { OperatorReservations } from './reservations.ts';

/** The tools that can change something. */
interface Tools {
  readonly accounts: Accounts;
  readonly files: Files;
  readonly reports: Reports;
  readonly chaos: ChaosControl;
  readonly inboundDesk: InboundDesk;
  readonly operatorReservations: OperatorReservations;
  readonly privacy: Privacy;
}

export interface AuditedTools extends Omit<Tools, 'files' | 'reports'> {
  readonly files: Pick<Files, 'remove'>;
  readonly reports: Pick<Reports, 'poll' | 'acknowledge'>;
  /** For changes that no tool makes, such as a send for an account. */
  readonly record: RecordChange;
}

export function auditedTools(tools: Tools, record: RecordChange): AuditedTools {
  return {
    accounts: auditedAccounts(tools.accounts, record),
    files: auditedFiles(tools.files, record),
    reports: auditedReports(tools.reports, record),
    chaos: auditedChaos(tools.chaos, record),
    inboundDesk: auditedInbound(tools.inboundDesk, record),
    operatorReservations: auditedReservations(tools.operatorReservations, record),
    privacy: auditedPrivacy(tools.privacy, record),
    record,
  };
}

export function auditedInbound(inbound: InboundDesk, record: RecordChange): InboundDesk {
  return {
    ...inbound,
    async assign(msgKey, account) {
      const assigned = await inbound.assign(msgKey, account);
      if (!(assigned instanceof Problem)) await record('inbound.assign', account, assigned.msgKey);
      return assigned;
    },
    async simulate(body) {
      const said = await inbound.simulate(body);
      if (!(said instanceof Problem)) await record('inbound.simulate', said.to, said.msgKey);
      return said;
    },
  };
}

export function auditedReservations(
  reservations: OperatorReservations,
  record: RecordChange,
): OperatorReservations {
  return {
    ...reservations,
    async change(resvKey, body) {
      const changed = await reservations.change(resvKey, body);
      if (!(changed instanceof Problem)) {
        await record('reservation.change', changed.account, resvKey, changed.resvSendTime);
      }
      return changed;
    },
    async move(resvKey, move) {
      const moved = await reservations.move(resvKey, move);
      if (!(moved instanceof Problem)) await record(`reservation.${move}`, moved.account, resvKey);
      return moved;
    },
  };
}

export function auditedAccounts(accounts: Accounts, record: RecordChange): Accounts {
  return {
    ...accounts,
    async create(id, password, settings = {}) {
      const isDone = await accounts.create(id, password, settings);
      if (isDone) await record('account.create', id, settings);
      return isDone;
    },
    async change(id, change) {
      const applied = await accounts.change(id, change);
      if (applied === undefined || applied instanceof Problem) return applied;
      if (Object.keys(applied.change).length > 0) await record('account.change', id, applied);
      return applied;
    },
    async setPassword(id, password) {
      const isDone = await accounts.setPassword(id, password);
      if (isDone) await record('account.password', id);
      return isDone;
    },
    async remove(id) {
      const removed = await accounts.remove(id);
      if (!(removed instanceof Problem)) await record('account.delete', id, removed.keptUntil);
      return removed;
    },
    async revokeTokens(id) {
      const isDone = await accounts.revokeTokens(id);
      if (isDone) await record('account.revoke-tokens', id);
      return isDone;
    },
  };
}

export function auditedPrivacy(privacy: Privacy, record: RecordChange): Privacy {
  return {
    ...privacy,
    /** Recorded first: whoever reads it has it, even if the rest fails. */
    async *export(subject) {
      await record('privacy.export', subject.number, subject.account);
      yield* privacy.export(subject);
    },
    async erase(subject, options) {
      await record('privacy.erase', subject.number, subject.account);
      const result = await privacy.erase(subject, options);
      await record('privacy.erase', subject.number, subject.account, { ...result.counts });
      return result;
    },
  };
}

function auditedFiles(files: Files, record: RecordChange): AuditedTools['files'] {
  return {
    async remove(fileKey) {
      const file = await files.remove(fileKey);
      if (!(file instanceof Problem)) await record('file.delete', file.account, file.fileKey, file.name);
      return file;
    },
  };
}

function auditedReports(reports: Reports, record: RecordChange): AuditedTools['reports'] {
  return {
    poll: reports.poll,
    async acknowledge(account, reportId) {
      const problem = await reports.acknowledge(account, reportId);
      if (!problem) await record('reports.acknowledge', account.id, reportId);
      return problem;
    },
  };
}

function auditedChaos(chaos: ChaosControl, record: RecordChange): ChaosControl {
  return {
    ...chaos,
    async set(body) {
      const set = await chaos.set(body);
      if (!(set instanceof Problem)) await record('chaos.set', set);
      return set;
    },
    async reset() {
      const reset = await chaos.reset();
      await record('chaos.set', reset);
      return reset;
    },
  };
}

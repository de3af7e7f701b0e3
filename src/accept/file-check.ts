/** Checks the files that a flow uses against what was uploaded. */
import type { Account } from '../domain/account/account.ts';
import { channelOf } from '../domain/channels/channel-table.ts';
import type { Step } from '../domain/delivery/flow.ts';
import { isUnfilled } from '../domain/request/field-kinds.ts';
import { Problem } from '../domain/request/problem.ts';
import { type Files, mediaKey } from './files.ts';
import type { CheckedFlow, FlowCheck } from './guards.ts';
import type { Registry } from './registry.ts';

/** A place of a flow that names an uploaded file. */
interface Use {
  readonly step: number;
  readonly field: string;
  readonly name: string;
  readonly key: string;
}

const LONGEST_SHOWN = 100;

/**
 * Uploaded images must fit their layout. Only accounts with registry enforcement must use keys of their own uploads: for
 * the others an unknown, expired or foreign key shows in the report.
 */
export function createFileCheck(files: Files, completeFlow: Registry['completeFlow']): FlowCheck {
  return (account, checked) => {
    const uses = checked.flow.flatMap(usesOf).filter(({ name }) => !isUnfilled(name, checked.reading));
    return uses.length === 0 ? undefined : checkUses(account, checked, uses);
  };

  async function checkUses(
    account: Account,
    { flow, names }: CheckedFlow,
    uses: readonly Use[],
  ): Promise<Problem | undefined> {
    const known = await files.describeFiles(
      account.id,
      uses.map(({ key }) => key),
    );
    const facts = new Map([...known].map(([key, row]) => [String(key), row]));
    const missing = account.settings.enforceRegistry && uses.find(({ key }) => !facts.has(key));
    if (missing) {
      const { step, field, name } = missing;
      const was = name.slice(0, LONGEST_SHOWN);
      const sentence = `"${names(step, field)}" is no file of this account, or it has expired (was ${was})`;
      return new Problem('A217', sentence);
    }
    // The kind of a registered template decides which sizes its images may have.
    for (const [index, step] of (await completeFlow(account, flow)).entries()) {
      const problem = channelOf(step).files?.problem?.(step, name => facts.get(mediaKey(name) ?? name));
      if (problem) return problem.renamed(field => names(index, field));
    }
    return undefined;
  }
}

function usesOf(step: Step, index: number): Use[] {
  const { files } = channelOf(step);
  if (!files) return [];
  const keyOf = (name: string) => (files.namedBy === 'media' ? (mediaKey(name) ?? name) : name);
  return files.uses(step).map(({ field, name }) => ({ step: index, field, name, key: keyOf(name) }));
}

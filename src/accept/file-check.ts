/** Checks the files that a flow uses against what was uploaded. */
import type { Account } from '../domain/account/account.ts';
import { channelOf } from '../domain/channels/channel-table.ts';
import type { Step } from '../domain/delivery/flow.ts';
import type { FileKey } from '../domain/ids.ts';
import { fileKeyIn } from '../domain/images/file-references.ts';
import { type ImageRule, uploadProblem } from '../domain/images/image-rules.ts';
import { isUnfilled } from '../domain/request/field-kinds.ts';
import { Problem } from '../domain/request/problem.ts';
import type { FileRow, Files } from './files.ts';
import type { CheckedFlow, FlowCheck } from './guards.ts';
import type { Registry } from './registry.ts';

/** A place of a flow that names an uploaded file. */
interface Use {
  readonly step: number;
  readonly field: string;
  readonly name: string;
  readonly rule: ImageRule;
  readonly key: FileKey | undefined;
}

const LONGEST_SHOWN = 100;
const NO_KEY = '' as FileKey;

/**
 * Uploaded images must fit their layout. Only accounts with registry enforcement must use keys of their own uploads: for
 * the others an unknown, expired or foreign key shows in the report.
 */
export function createFileCheck(deps: {
  readonly files: Files;
  readonly completeFlow: Registry['completeFlow'];
  readonly publicUrl: string | undefined;
}): FlowCheck {
  const { files, completeFlow, publicUrl } = deps;
  return (account, checked) => {
    const uses = checked.flow
      .flatMap((step, index) => usesOf(step, index, publicUrl))
      .filter(({ name }) => !isUnfilled(name, checked.reading));
    return uses.length === 0 ? undefined : checkUses(account, checked, uses);
  };

  async function checkUses(
    account: Account,
    { flow, names }: CheckedFlow,
    uses: readonly Use[],
  ): Promise<Problem | undefined> {
    const known = await files.describeFiles(
      account.id,
      uses.flatMap(({ key }) => key ?? []),
    );
    for (const use of account.settings.enforceRegistry ? uses : []) {
      const problem = useProblem(use, use.key && known.get(use.key));
      if (problem) return problem.renamed(field => names(use.step, field));
    }
    // The kind of a registered template decides which sizes its images may have.
    for (const [index, step] of (await completeFlow(account, flow)).entries()) {
      const rules = channelOf(step).files;
      const factsOf = (name: string) =>
        known.get(fileKeyIn(name, rules?.namedBy ?? 'key', publicUrl) ?? NO_KEY);
      const problem = rules?.problem?.(step, factsOf);
      if (problem) return problem.renamed(field => names(index, field));
    }
    return undefined;
  }
}

/** Owner, purpose and size of an upload, in this order: what belongs to others is not told. */
function useProblem({ field, name, rule }: Use, file: FileRow | undefined): Problem | undefined {
  if (file) return uploadProblem(rule, field, file);
  const was = name.slice(0, LONGEST_SHOWN).toWellFormed();
  return new Problem('A217', `"${field}" is not a file of this account, or it has expired (was ${was})`);
}

function usesOf(step: Step, index: number, publicUrl: string | undefined): Use[] {
  const { files } = channelOf(step);
  if (!files) return [];
  return files
    .uses(step)
    .map(use => ({ step: index, ...use, key: fileKeyIn(use.name, files.namedBy, publicUrl) }));
}

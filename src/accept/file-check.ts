/** Checks the files that a flow uses against what was uploaded. */
import type { Account } from '../domain/account/account.ts';
import { channelOf } from '../domain/channels/channel-table.ts';
import type { Flow, Step } from '../domain/delivery/flow.ts';
import { Problem } from '../domain/request/problem.ts';
import { type Files, mediaKey } from './files.ts';
import type { RecipientGuard } from './guards.ts';
import type { Registry } from './registry.ts';

/**
 * Uploaded images must fit their layout. Only accounts with registry enforcement must use keys of their own uploads: for
 * the others an unknown, expired or foreign key shows in the report.
 */
export function createFileCheck(files: Files, completeFlow: Registry['completeFlow']): RecipientGuard {
  return (account, flow) => {
    const keys = flow.flatMap(keysOf);
    return keys.length === 0 ? undefined : checkKeys(account, flow, keys);
  };

  async function checkKeys(
    account: Account,
    flow: Flow,
    keys: readonly string[],
  ): Promise<Problem | undefined> {
    const known = await files.describeFiles(account.id, keys);
    const facts = new Map([...known].map(([key, row]) => [String(key), row]));
    const missing = keys.find(key => !facts.has(key));
    if (missing !== undefined && account.settings.enforceRegistry) {
      return new Problem('A217', `"${missing}" is no file of this account, or it has expired`);
    }
    // The kind of a registered template decides which sizes its images may have.
    for (const step of await completeFlow(account, flow)) {
      const { files } = channelOf(step);
      const problem = files?.problem?.(step, name => facts.get(mediaKey(name) ?? name));
      if (problem) return problem;
    }
    return undefined;
  }
}

function keysOf(step: Step): readonly string[] {
  const { files } = channelOf(step);
  const names = files?.namesIn(step) ?? [];
  return files?.namedBy === 'media' ? names.map(name => mediaKey(name) ?? name) : names;
}

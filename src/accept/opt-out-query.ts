/** One page of a list of opt-outs, newest first, for accounts and operators alike. */
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { OPT_OUTS_A_PAGE, type OptOutFilters } from '../domain/delivery/opt-out-request.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OptOutView } from '../operations/opt-outs.ts';
import type { OptOuts } from './opt-outs.ts';

export async function optOutPage(
  optOuts: Pick<OptOuts, 'page'>,
  account: string,
  { to, sender, state, cursor, limit = OPT_OUTS_A_PAGE }: OptOutFilters,
  view: (optOut: OptOut) => OptOutView,
): Promise<{ readonly optOuts: readonly OptOutView[]; readonly next: string | null } | Problem> {
  const page = await optOuts.page(account, {
    ...{ limit: limit + 1, isCurrent: state !== 'all' },
    ...(cursor !== undefined && { before: cursor }),
    ...(to !== undefined && { number: to }),
    ...(sender !== undefined && { sender }),
  });
  if (page instanceof Problem) return page;
  const listed = page.slice(0, limit);
  const next = page.length > limit ? String(listed.at(-1)?.id) : null;
  return { optOuts: listed.map(view), next };
}

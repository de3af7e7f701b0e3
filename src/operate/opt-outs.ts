/** What operators do with the list of recipients who opted out of an account. */
import { addAll, optOutsFile, optOutView } from '../accept/opt-out-file.ts';
import { optOutPage } from '../accept/opt-out-query.ts';
import type { OptOuts } from '../accept/opt-outs.ts';
import type { OptOut } from '../domain/delivery/opt-out.ts';
import { numberIn } from '../domain/request/list-fields.ts';
import { Problem } from '../domain/request/problem.ts';
import type { OperationsOf } from '../operations/operation.ts';
import type { optOuts as declared } from '../operations/opt-outs.ts';
import type { FormatTime } from '../platform/zoned-time.ts';
import type { Handlers } from './perform.ts';

export function optOutHandlers({
  optOuts,
  formatTime,
}: {
  readonly optOuts: OptOuts;
  readonly formatTime: FormatTime;
}): Handlers<OperationsOf<typeof declared>> {
  const view = (optOut: OptOut) => optOutView(optOut, formatTime);
  return {
    'GET /accounts/{id}/optouts': ({ id, ...filters }) => optOutPage(optOuts, id, filters, view),
    'POST /accounts/{id}/optouts': ({ id, optOuts: entries }, { by }) =>
      optOuts.add(id, entries, { way: 'operator', by }),
    async 'DELETE /accounts/{id}/optouts/{optOutId}'({ id, optOutId }, { by }) {
      const ended = await optOuts.end(id, numberIn(optOutId) ?? 0, { way: 'operator', by });
      return ended instanceof Problem ? ended : view(ended);
    },
    'GET /accounts/{id}/optouts/csv': ({ id, cursor }, { shown }) =>
      optOutsFile(optOuts, id, cursor, optOut => shown(view(optOut))),
    async 'POST /accounts/{id}/optouts/csv'({ id, file }, { by, log }) {
      const entries = await optOuts.read(id, file);
      if (entries instanceof Problem) return entries;
      return addAll(optOuts, id, entries, { way: 'csv', by }, log);
    },
  };
}

/**
 * Carries out a declared operation: reads what was asked for, calls its handler, writes the entry in the audit log, and hides what the
 * operator does not see. Below HTTP: the operator API and commands on the store do the same through it.
 */
import { readFields } from '../domain/request/fields.ts';
import { readQuery } from '../domain/request/list-fields.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Address, AnswerOf, AnyOperation, Call, InputOf, Logged } from '../operations/operation.ts';
import type { Operations } from '../operations/operations.ts';
import { type CsvShape, show, type Viewer } from '../operations/shapes.ts';

/** What operations do, by address. */
export type Handlers<O> = {
  readonly [A in keyof O]: (input: InputOf<O[A]>, call: Call<O[A]>) => Promise<AnswerOf<O[A]> | Problem>;
};

export type AllHandlers = Handlers<Operations>;

/** Of any of them. */
export type Handler = (input: never, call: never) => Promise<unknown>;

/** Who asks. */
export interface Caller extends Viewer, Pick<Call<never>, 'by' | 'operatorId' | 'gatewayUrl'> {
  /** Writes an entry in the audit log under that name. */
  record(action: string, logged: Logged): Promise<void>;
}

/** As it came; on the way here from a command all three are one object. */
export interface Asked {
  readonly path: object;
  readonly query: unknown;
  readonly body: unknown;
}

/** Loaded with the first call, and not at every start. */
export async function operationAt(address: Address): Promise<AnyOperation> {
  const { OPERATIONS } = await import('../operations/operations.ts');
  const found = OPERATIONS.get(address);
  if (!found) throw new Error(`no operation is declared at ${address}`);
  return found;
}

export async function perform(
  operation: AnyOperation,
  handle: Handler,
  { path, query, body }: Asked,
  { record, ...caller }: Caller,
): Promise<unknown> {
  const filters = readQuery(operation.query ?? {}, query);
  if (filters instanceof Problem) return filters;
  const members = operation.body ? readFields(operation.body, body) : {};
  if (members instanceof Problem) return members;
  const input = { ...inPath(operation, path), ...filters, ...members } as never;
  const { answer: shape, audit } = operation;
  const log = async (done: unknown) => {
    const logged = audit?.entry(input, done, caller);
    if (audit && logged) await record(audit.action, logged);
  };
  const shown = (row: unknown) => show((shape as CsvShape<unknown>).row, row, caller);
  const answer = await handle(input, { ...caller, log, shown } as never);
  if (answer instanceof Problem) return answer;
  if (!audit?.inParts) await log(answer);
  return show(shape, answer, caller);
}

/** Nothing else of it: what a command gives there, a filter may have refused or taken for not given. */
function inPath({ address }: AnyOperation, given: object): object {
  const names = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return Object.fromEntries(Object.entries(given).filter(([name]) => names.includes(name)));
}

/** Every operation of operators that is declared, and the types of their calls. */
import { audit } from './audit.ts';
import { carriers } from './carriers.ts';
import { failures } from './failures.ts';
import { forms } from './forms.ts';
import { health } from './health.ts';
import { nodes } from './nodes.ts';
import type { Address, AnyOperation, Asked, OperationsOf, Resource, Told } from './operation.ts';
import { operators } from './operators.ts';
import { optOuts } from './opt-outs.ts';
import { queue } from './queue.ts';
import { registry } from './registry.ts';
import { statistics } from './statistics.ts';
import { templates } from './templates.ts';
import { traffic } from './traffic.ts';
import { webhooks } from './webhooks.ts';

const RESOURCES = [
  operators,
  registry,
  templates,
  forms,
  optOuts,
  webhooks,
  nodes,
  audit,
  carriers,
  queue,
  health,
  failures,
  statistics,
  traffic,
] as const;

export type Operations = OperationsOf<(typeof RESOURCES)[number]>;

/** Those that need no running gateway. */
export type StoreOperations = {
  readonly [A in keyof Operations as 'gateway' extends Operations[A]['needs'] ? never : A]: Operations[A];
};

/** Asks for one operation. */
export type CallOperation = <A extends keyof Operations>(
  address: A,
  asked: Asked<Operations[A]>,
) => Promise<Told<Operations[A]>>;

const ALL: readonly Resource[] = RESOURCES;

export const OPERATIONS: ReadonlyMap<Address, AnyOperation> = new Map(
  ALL.flatMap(({ operations }) => operations).map(each => [each.address, each]),
);

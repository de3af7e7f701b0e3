/** Every operation of operators that is declared, and the types of their calls. */
import type { Address, AnyOperation, Asked, OperationsOf, Told } from './operation.ts';
import { optOuts } from './opt-outs.ts';

const RESOURCES = [optOuts] as const;

export type Operations = OperationsOf<(typeof RESOURCES)[number]>;

/** Asks for one operation. */
export type CallOperation = <A extends keyof Operations>(
  address: A,
  asked: Asked<Operations[A]>,
) => Promise<Told<Operations[A]>>;

export const OPERATIONS: ReadonlyMap<Address, AnyOperation> = new Map(
  RESOURCES.flatMap(({ operations }) => operations).map(each => [each.address, each]),
);

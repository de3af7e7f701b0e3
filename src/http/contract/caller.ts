/** The account that makes a request, within its call rate. Sends have a rate of their own: see desk.ts. */
import type { FastifyRequest } from 'fastify';
import type { Access } from '../../accept/access.ts';
import type { Account } from '../../domain/account/account.ts';
import { Problem } from '../../domain/request/problem.ts';
import type { Limiter } from '../../platform/limiter.ts';

export interface Caller {
  readonly authorization: string | undefined;
  readonly address: string;
}

export interface Callers {
  admit(caller: Caller): Promise<Account | Problem>;
  caller(request: FastifyRequest): Promise<Account | Problem>;
}

export function createCallers(access: Access, limiter: Limiter): Callers {
  return {
    admit,
    caller: request => admit({ authorization: request.headers.authorization, address: request.ip }),
  };

  async function admit({ authorization, address }: Caller): Promise<Account | Problem> {
    const account = await access.authenticate(authorization, address);
    if (account instanceof Problem) return account;
    const { callRate } = account.settings;
    if (callRate === undefined) return account;
    const over = await limiter.take(`call ${account.id}`, { ratePerSecond: callRate, burst: callRate });
    return over ? new Problem('A020', `Rate limit exceeded: ${callRate} calls a second`, over) : account;
  }
}

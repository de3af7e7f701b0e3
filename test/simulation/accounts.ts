/** The accounts of a simulation. */
import type { AccountId } from '../../src/domain/ids.ts';

export const POLLER = 'poller' as AccountId;
export const HOOK = 'hook' as AccountId;
/** Changes between polling and webhook. */
export const TURNER = 'turner' as AccountId;
export const ACCOUNTS = [POLLER, HOOK, TURNER];

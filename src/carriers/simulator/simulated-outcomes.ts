/**
 * What the simulated network does with a message. The last four digits of the recipient decide, per channel; any
 * other number is delivered. The outcome depends on nothing else, so the same attempt always has the same one.
 */
import type { Channel } from '../../domain/channels/channel.ts';
import { CHANNEL_TABLE } from '../../domain/channels/channel-table.ts';
import { type ChannelFamily, DELIVERED, type ReportCode } from '../../domain/reports/report-codes.ts';

/** Taken; then `receipts` times a receipt with this code. */
export interface SimulatedReceipt {
  readonly kind: 'receipt';
  readonly reportCode: ReportCode;
  readonly receipts: number;
  readonly beforeAnswer: boolean;
}

export type SimulatedOutcome =
  | SimulatedReceipt
  | { readonly kind: 'refused'; readonly reportCode: ReportCode }
  /** Sure: every submit of the attempt ends so. */
  | { readonly kind: 'deferred'; readonly reportCode: ReportCode; readonly isSure: boolean }
  | { readonly kind: 'silent' }
  | { readonly kind: 'linkDropped' };

const DELIVERED_ONCE: SimulatedReceipt = {
  kind: 'receipt',
  reportCode: DELIVERED,
  receipts: 1,
  beforeAnswer: false,
};
const NO_SUBSCRIBER: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23001',
  rcs: '33001',
  messenger: '63018',
};
/** Attempts that find the handset of …0005 switched off. */
const ATTEMPTS_SWITCHED_OFF = 2;

export function outcomeFor(to: string, channel: Channel, attempt: number): SimulatedOutcome {
  const { family, recipientsCanBlock } = CHANNEL_TABLE[channel];
  switch (to.slice(-4)) {
    case '0001':
      return { ...DELIVERED_ONCE, reportCode: NO_SUBSCRIBER[family] };
    case '0002':
      return family === 'rcs' ? { kind: 'refused', reportCode: '33101' } : DELIVERED_ONCE;
    case '0003':
      return family === 'messenger' ? { kind: 'refused', reportCode: '63019' } : DELIVERED_ONCE;
    case '0004':
      return recipientsCanBlock ? { ...DELIVERED_ONCE, reportCode: '63020' } : DELIVERED_ONCE;
    case '0005':
      return family === 'text' && attempt <= ATTEMPTS_SWITCHED_OFF
        ? { kind: 'deferred', reportCode: '22003', isSure: true }
        : DELIVERED_ONCE;
    case '0006':
      return { kind: 'silent' };
    case '0007':
      return { ...DELIVERED_ONCE, receipts: 3 };
    case '0008':
      return { ...DELIVERED_ONCE, beforeAnswer: true };
    case '0009':
      return { kind: 'linkDropped' };
    default:
      return DELIVERED_ONCE;
  }
}

/** Every recipient is a friend of every channel, except …0004. */
export function isFriend(to: string): boolean {
  return !to.endsWith('0004');
}

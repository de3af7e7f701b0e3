/** Report codes: why a channel message ended as it did. 10000 is delivered, everything else is a failure. */
import type { Channel } from './flow.ts';

export const REPORT_CODES = {
  '10000': 'Delivered',
  '22000': 'Send timed out',
  '22001': 'Failed in the radio network',
  '22002': 'Failed between radio network and handset',
  '22003': 'Handset is switched off',
  '22004': 'Handset buffer is full',
  '22005': 'No coverage',
  '22006': 'Message was deleted',
  '22007': 'Temporary handset problem',
  '23000': 'Cannot send',
  '23001': 'No such subscriber',
  '23003': 'Invalid recipient number',
  '23009': 'Invalid message format',
  '23011': 'Carrier server error',
  '23014': 'Other failure',
  '23015': 'No route',
  '23023': 'Sender number is not registered',
  '23035': 'Carrier outage',
  '32000': 'Send timed out',
  '33001': 'No such subscriber',
  '33015': 'No route',
  '33101': 'Handset without RCS',
  '60600': 'Send failed',
  '63018': 'Cannot send to this user',
  '63019': 'Not a messenger user',
  '63020': 'Blocked by the user',
  '90000': 'Internal failure',
  '99999': 'Unknown',
} as const;

export type ReportCode = keyof typeof REPORT_CODES;

export const DELIVERED: ReportCode = '10000';

/** Channels share the codes of their family. */
export type ChannelFamily = 'text' | 'rcs' | 'messenger';

const FAMILY_OF_CHANNEL: Readonly<Record<Channel, ChannelFamily>> = {
  sms: 'text',
  mms: 'text',
  international: 'text',
  rcs: 'rcs',
  alimtalk: 'messenger',
  friendtalk: 'messenger',
  brandmessage: 'messenger',
};

export function familyOf(channel: Channel): ChannelFamily {
  return FAMILY_OF_CHANNEL[channel];
}

/** The code of a step that stayed silent past its deadline. */
export const SILENCE_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '22000',
  rcs: '32000',
  messenger: '60600',
};

/** The code of a step that no carrier serves. */
export const NO_ROUTE_CODE: Readonly<Record<ChannelFamily, ReportCode>> = {
  text: '23015',
  rcs: '33015',
  messenger: '60600',
};

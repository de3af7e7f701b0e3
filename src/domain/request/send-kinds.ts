/** What can be sent in one request: on each channel to one recipient, and a flow to several. */
import { CHANNELS, type Channel } from '../channels/channel.ts';

export type SendKind = Channel | 'omni';
export const SEND_KINDS: readonly SendKind[] = [...CHANNELS, 'omni'];

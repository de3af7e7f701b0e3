/** Report codes for messages that the service refused: the same fault in the words of a network. */
import type { Channel } from '../../domain/channels/channel.ts';
import { familyOf } from '../../domain/channels/channel-table.ts';
import type { ChannelFamily, ReportCode } from '../../domain/reports/report-codes.ts';

type ByFamily = Readonly<Record<ChannelFamily, ReportCode>>;

const INVALID: ByFamily = { text: '23009', rcs: '33009', messenger: '61030' };
const SENDER: ByFamily = { text: '23023', rcs: '33023', messenger: '61003' };
const RECIPIENT: ByFamily = { text: '23003', rcs: '33003', messenger: '63008' };
const TOO_LONG: ByFamily = { text: '23009', rcs: '33110', messenger: '63014' };
const SPAM: ByFamily = { text: '23012', rcs: '33012', messenger: '63018' };
const DENIED: ByFamily = { text: '23013', rcs: '33013', messenger: '64008' };
const FILE: ByFamily = { text: '23034', rcs: '33120', messenger: '63024' };
const BIG_FILE: ByFamily = { text: '23016', rcs: '33113', messenger: '63024' };

const BY_CODE: Readonly<Record<string, ByFamily>> = {
  A200: BIG_FILE,
  A302: SENDER,
  A306: RECIPIENT,
  A322: SPAM,
  A323: SPAM,
  A324: SPAM,
  A325: DENIED,
  A327: SENDER,
  A328: TOO_LONG,
  A404: { ...INVALID, rcs: '33121' },
  A419: { ...INVALID, rcs: '33200' },
  A420: { ...INVALID, rcs: '33200' },
  A502: SENDER,
  A505: { ...INVALID, messenger: '63015' },
  A513: FILE,
};

export function refusalCode(code: string, channel: Channel): ReportCode {
  const ofFiles = /^A2\d\d$/.test(code) ? FILE : INVALID;
  return (BY_CODE[code] ?? ofFiles)[familyOf(channel)];
}

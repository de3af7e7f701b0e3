/** What `bongsu send` sends: the body of a single send on any channel, or the flow for a list. */
import type { FlowEntry, OmniSend } from '../../client/bongsu-client.ts';
import { CHANNELS, type Channel, channelNamed } from '../domain/channels/channel.ts';
import { isObject } from '../domain/request/fields.ts';
import { readFlow } from './bulk-files.ts';
import { WrongUsage } from './failure.ts';
import { readJsonFile } from './text-file.ts';

/** As the command line has them. */
export interface Written {
  readonly to?: string;
  readonly from?: string;
  readonly text?: string;
  readonly ref?: string;
  readonly channel?: Channel;
  /** A file with the body of a send. */
  readonly body?: string;
  /** A file with a flow. */
  readonly omni?: string;
}

export interface Message {
  readonly channel: Channel;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The body of a single send. Options go before what the file says. */
export function messageOf(written: Written): Message {
  const { to, from, text, ref } = written;
  const file = written.body === undefined ? undefined : readBody(written.body, written.channel);
  const given = {
    ...(to !== undefined && { to }),
    ...(text !== undefined && { text }),
    ...(from !== undefined && { from }),
    ...(ref !== undefined && { ref }),
  };
  if (file) return { channel: file.channel, body: { ...file.body, ...given } };
  // Without a sender the gateway refuses with its own code and explanation.
  return { channel: written.channel ?? channelOf(to ?? ''), body: { from: '', ...given } };
}

/** The flow for a list: from a file, or of the one message that a body or a text is. */
export function flowOf(written: Written): Omit<OmniSend, 'destinations'> {
  if (written.omni !== undefined) return readFlow(written.omni);
  const { channel, body } = messageOf(written);
  const { to: _, ref, paymentCode, fallback, ...message } = body;
  if (channel === 'international') {
    throw new WrongUsage('a list goes to domestic numbers: send international messages one by one');
  }
  if (fallback !== undefined) {
    throw new WrongUsage(
      'a body with "fallback" cannot go to a list: write both messages as a flow for --omni',
    );
  }
  return {
    // The gateway says what is wrong with it.
    messageFlow: [{ [channel]: message } as unknown as FlowEntry],
    ...(typeof ref === 'string' && { ref }),
    ...(typeof paymentCode === 'string' && { paymentCode }),
  };
}

/** A body as the API takes it; or, with its channel, as an entry of a flow: `{"rcs": {…}}`. */
function readBody(file: string, named: Channel | undefined): Message {
  const value = readJsonFile(file);
  if (!isObject(value)) throw new WrongUsage(`${file}: expected a JSON object, the body of a send`);
  const [[name, inner] = ['', undefined], ...others] = Object.entries(value);
  const channel = channelNamed(name);
  if (channel && isObject(inner) && others.length === 0) {
    if (named && named !== channel) {
      throw new WrongUsage(`${file} is a message for ${channel}, and --channel says ${named}`);
    }
    return { channel, body: inner };
  }
  if (!named) throw new WrongUsage(`--body needs --channel, one of ${CHANNELS.join(', ')}`);
  return { channel: named, body: value };
}

function channelOf(to: string): 'sms' | 'international' {
  return to.startsWith('+') && !to.startsWith('+82') ? 'international' : 'sms';
}

/** Reads server-sent events as they arrive. */

export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Longer than any event of the gateway: whoever sends more is not a gateway. */
const LONGEST_BLOCK = 1024 * 1024;

export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true });
    if (rest.length > LONGEST_BLOCK) throw new Error('the answer is not an event stream');
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1];
      const [event, data] = [field('event'), field('data')];
      if (event !== undefined && data !== undefined) yield { event, data };
    }
  }
}

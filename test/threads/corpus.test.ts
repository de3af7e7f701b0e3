/**
 * The same requests through the front with threads, through the front without, and through plain `node:http` with the same
 * routes: answers, events and measurements are the same, whichever of them reads.
 */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import { PASSWORD, type TestGateway, testGateway } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';
import { CORPUS, LAST, type Sample } from './corpus.ts';

const ALL_AT_ONCE = Number.POSITIVE_INFINITY;
const PIECE_BYTES = 40;

interface Reader {
  readonly name: string;
  readonly port: number;
  readonly token: string;
  readonly clock: TestGateway['clock'];
  /** What it counts from now on. */
  counting(): Promise<() => Promise<string>>;
}

async function openReader(t: TestContext, name: string, threads: number): Promise<Reader> {
  const gateway = await testGateway(t, { BONGSU_HTTP_THREADS: String(threads) });
  const { token } = await gateway.account('shop');
  const { http } = gateway.gateway;
  const where = { host: '127.0.0.1', port: 0 };
  const url = name === 'node:http' ? await http.listen(where) : await gateway.gateway.listen(where);
  return {
    name,
    port: Number(new URL(url).port),
    token,
    clock: gateway.clock,
    async counting() {
      const before = await countersOf(gateway);
      return async () => {
        const grown = [...(await countersOf(gateway))].map(
          ([counter, count]) => [counter, count - (before.get(counter) ?? 0)] as const,
        );
        return grown
          .filter(([, count]) => count > 0)
          .map(([counter, count]) => `${counter} ${count}`)
          .sort()
          .join('\n');
      };
    },
  };
}

const COUNTER =
  /^(bongsu_(?:http_request_seconds_count|requests_refused_total|messages_accepted_total|reports_fetched_total|internal_errors_total|connections_closed_total)(?:\{.*\})?) (\d+)$/gm;

async function countersOf({ gateway }: TestGateway): Promise<Map<string, number>> {
  const { body } = await gateway.http.inject({ url: '/metrics' });
  return new Map([...body.matchAll(COUNTER)].map(([, counter = '', count]) => [counter, Number(count)]));
}

/** Everything that is answered until the connection is closed. */
function answersTo({ port, token }: Reader, { bytes: text }: Sample, pieceBytes: number): Promise<string> {
  const filled = text.replaceAll('{token}', token).replaceAll('{password}', PASSWORD);
  const bytes = Buffer.from(filled + LAST, 'latin1');
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let answer = '';
    socket.on('data', chunk => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer));
    const write = (at: number): void => {
      if (at >= bytes.length || socket.destroyed) return;
      socket.write(bytes.subarray(at, at + pieceBytes), () => setImmediate(write, at + pieceBytes));
    };
    write(0);
  });
}

/** Without what differs between any two answers. */
function comparable(answer: string): string {
  return answer
    .replace(/^Date: .*$/gim, 'Date: now')
    .replace(/"(msgKey|token|expired|reportId)":"[^"]+"/g, '"$1":"some"')
    .replace(/^content-length: \d+$/gim, 'content-length: some')
    .replace(/^(\w[\w-]*):/gm, name => name.toLowerCase());
}

test('the front and Node answer and count each request in the same way', async t => {
  const plain = await openReader(t, 'node:http', 0);
  const fronts = [await openReader(t, 'the front', 0), await openReader(t, 'the front in a thread', 1)];
  // All at once, so that time makes no difference. Who asks for metrics too often gets the last text again.
  const passTime = () => {
    for (const { clock } of [plain, ...fronts]) clock.advance(1000);
  };
  for (const sample of CORPUS) {
    const { what, isSound, ofFronts } = sample;
    await t.test(what, async () => {
      const counted = await plain.counting();
      const countedByFronts = await Promise.all(fronts.map(front => front.counting()));
      for (const pieceBytes of isSound ? [ALL_AT_ONCE, PIECE_BYTES] : [ALL_AT_ONCE]) {
        const [wanted, ...answers] = await Promise.all(
          [plain, ...fronts].map(async reader => comparable(await answersTo(reader, sample, pieceBytes))),
        );
        for (const [index, answer] of answers.entries()) {
          const { name } = fronts[index] ?? plain;
          if (ofFronts) assert.match(answer, ofFronts.answers, name);
          else assert.equal(answer, wanted, `${name}, in pieces of ${pieceBytes} bytes`);
        }
      }
      // Of what is broken Node may begin some before it finds that out.
      if (!isSound) return;
      for (const [index, front] of fronts.entries()) {
        let [own, wanted] = ['', 'nothing yet'];
        // Threads tell the engine later what they have counted.
        await until('both count the same', async () => {
          passTime();
          [own, wanted] = [(await countedByFronts[index]?.()) ?? '', await counted()];
          return own === wanted;
        }).catch(() => assert.equal(own, wanted, front.name));
      }
    });
  }
});

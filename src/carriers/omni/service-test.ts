/** `bongsu carrier test`: address, credentials, permission to fetch reports, and clocks. Nothing is sent or deleted. */
import type { CarrierTest } from '../carrier.ts';
import { envelopeOf } from './envelope.ts';
import type { OmniSession } from './session.ts';

/** Clocks that are further apart make times in reports misleading. */
const MOST_APART_MS = 300_000;

export async function testService(session: OmniSession, address: string): Promise<CarrierTest> {
  const login = await session.login();
  if (login.kind === 'none') return { isOk: false, detail: `${address}: ${login.reason}` };
  // A batch that is fetched and not deleted stays where it is.
  const answer = await session.call({ method: 'GET', path: '/v1/report/polling' });
  if (answer.kind === 'failed') return { isOk: false, detail: `${address}: ${answer.reason}` };
  const { meaning, says } = envelopeOf(answer);
  if (meaning !== 'taken') {
    return { isOk: false, detail: `${address}: logged in, but reports cannot be fetched: ${says}` };
  }
  const apartMs = session.clockDifferenceMs;
  const isOk = apartMs === undefined || Math.abs(apartMs) <= MOST_APART_MS;
  return { isOk, detail: `${address}: logged in, reports can be fetched, ${clocks(apartMs)}` };
}

function clocks(apartMs: number | undefined): string {
  if (apartMs === undefined) return 'its clock is not known';
  const seconds = Math.round(apartMs / 1000);
  if (Math.abs(seconds) <= 2) return 'clocks agree';
  return `its clock is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`;
}

import { SmppCarrier } from '../../../src/carriers/smpp/smpp-carrier.ts';
import { STATUS } from '../../../src/carriers/smpp/statuses.ts';
import { ManualClock } from '../../../src/platform/clock.ts';
import { systemRandomness } from '../../../src/platform/randomness.ts';
import { DELIVERED_REPLY, type Reply, Smsc } from '../../harness/smsc/smsc.ts';
import { testCarrier } from '../contract/carrier-contract.ts';
import { internationalStep, smppOptions } from './smpp-under-test.ts';

const REPLIES: Readonly<Record<string, Reply>> = {
  '14155550001': DELIVERED_REPLY,
  '14155550002': { kind: 'refuse', status: STATUS.invalidDestination },
  '14155550003': { kind: 'refuse', status: STATUS.systemError },
  '14155550004': { kind: 'drop' },
  '14155550005': { kind: 'garbage' },
  '14155550006': { kind: 'refuse', status: STATUS.invalidPassword },
  '14155550007': { kind: 'refuse', status: STATUS.throttled },
  '14155550009': { kind: 'accept', id: '' },
};

/** The second part of a message to this number is refused at first. */
const PARTLY = '14155550008';

for (const bind of ['transceiver', 'pair']) {
  testCarrier(`smpp as ${bind}`, async t => {
    const seen = new Set<string>();
    const smsc = await Smsc.listen({
      submit: ({ destination, shortMessage }) => {
        const { digits } = destination;
        const part = Buffer.from(shortMessage).toString('hex');
        const isFirst = !seen.has(part);
        seen.add(part);
        const isRefused = digits === PARTLY && isFirst && shortMessage[5] === 2;
        return REPLIES[isRefused ? '14155550007' : digits] ?? DELIVERED_REPLY;
      },
    });
    t.after(() => smsc.close());
    const clock = new ManualClock();
    const carrier = new SmppCarrier('sky', smppOptions(smsc.port, { bind }), clock, systemRandomness());
    const sample = (to: string, text = 'hello') => ({ to, message: internationalStep(text) });
    return {
      carrier,
      samples: {
        delivered: sample('+14155550001', 'a'.repeat(200)),
        permanent: sample('+14155550002'),
        temporary: sample('+14155550003'),
        lost: sample('+14155550004'),
        garbled: sample('+14155550005'),
        nameless: sample('+14155550009'),
        accountRefused: sample('+14155550006'),
        throttled: sample('+14155550007'),
        partly: sample(`+${PARTLY}`, 'a'.repeat(200)),
      },
      clock,
      takeAway: () => smsc.close(),
    };
  });
}

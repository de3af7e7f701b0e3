import type { TestContext } from 'node:test';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { testCarrier } from '../contract/carrier-contract.ts';
import { omniCarrier, submitOne } from './omni-under-test.ts';

const MESSAGE: Step = { channel: 'sms', from: '0212345678', text: 'hello' };

const RECIPIENTS = {
  delivered: '01000000000',
  permanent: '01000000001',
  temporary: '01000000005',
  lost: '01000000009',
} as const;

/** What the service does is decided by the recipient. */
async function omniPeer(t: TestContext) {
  const { service, carrier, clock } = await omniCarrier(t, {
    breaker: { failures: 3, pause: '1d', longestPause: '1d' },
  });
  service.fault = ({ path, body }, response) => {
    if (path !== '/v1/send/sms') return false;
    switch (JSON.parse(body).to) {
      case RECIPIENTS.lost:
        response.destroy();
        return true;
      case RECIPIENTS.temporary:
        service.answer(response, 500, { code: 'A999', result: 'Unknown error' });
        return true;
      case RECIPIENTS.permanent:
        service.answer(response, 400, { code: 'A306', result: '"to" is missing or invalid' });
        return true;
      default:
        return false;
    }
  };
  const sample = (kind: keyof typeof RECIPIENTS) => ({ to: RECIPIENTS[kind], message: MESSAGE });
  return {
    carrier,
    samples: {
      delivered: sample('delivered'),
      permanent: sample('permanent'),
      temporary: sample('temporary'),
      lost: sample('lost'),
    },
    elapse: (ms: number) => clock.advance(ms),
    /** Without connections to watch, it is messages that tell the carrier. */
    async takeAway() {
      service.provider.stop();
      while (carrier.status().state === 'up') await submitOne(carrier);
    },
  };
}

testCarrier('omni', omniPeer);

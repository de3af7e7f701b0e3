import type { TestContext } from 'node:test';
import type { Step } from '../../../src/domain/delivery/flow.ts';
import { testCarrier } from '../contract/carrier-contract.ts';
import { omniCarrier } from './omni-under-test.ts';

const MESSAGE: Step = { channel: 'sms', from: '0212345678', text: 'hello' };

const RECIPIENTS = {
  delivered: '01000000000',
  permanent: '01000000001',
  temporary: '01000000005',
  lost: '01000000009',
  garbled: '01000000010',
  nameless: '01000000014',
  accountRefused: '01000000011',
  throttled: '01000000012',
  longPause: '01000000013',
} as const;

/** What the service does is decided by the recipient. */
async function omniPeer(t: TestContext) {
  const { service, carrier, clock } = await omniCarrier(t);
  service.fault = ({ path, body }, response) => {
    if (path !== '/v1/send/sms') return false;
    switch (JSON.parse(body).to) {
      case RECIPIENTS.lost:
        response.destroy();
        return true;
      case RECIPIENTS.garbled:
        response.end('<html>Sign in</html>');
        return true;
      case RECIPIENTS.nameless:
        service.answer(response, 200, { code: 'A000', result: 'Success' });
        return true;
      case RECIPIENTS.accountRefused:
        service.answer(response, 400, { code: 'A320', result: 'Quota is used up' });
        return true;
      case RECIPIENTS.throttled:
        service.answer(response, 429, { code: 'A020', result: 'Too many requests' });
        return true;
      case RECIPIENTS.longPause:
        response.setHeader('retry-after', '3600');
        service.answer(response, 503, { code: 'A920', result: 'Service is busy' });
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
      garbled: sample('garbled'),
      nameless: sample('nameless'),
      accountRefused: sample('accountRefused'),
      throttled: sample('throttled'),
      longPause: sample('longPause'),
    },
    clock,
    takeAway: async () => service.provider.stop(),
  };
}

testCarrier('omni', omniPeer);

/** What receivers of webhooks answer: to test calls of an operator, and to reports that are pushed. */
import { bearer } from '../../harness/credentials.ts';
import { AnsweringServer } from '../answering-server.ts';
import { type AnswerInput, oddAnswer } from '../http-answers.ts';
import { bytesOf } from '../http-input.ts';
import type { Target } from '../target.ts';

const RECEIVERS = 8;
/** One report is pushed for so many test calls. */
const PUSH_EVERY = 20;
/** The key of a test call, which a good answer repeats. */
const TEST_KEY = 'TEST0000000000000000000000000000';

export const webhookAnswers: Target = {
  name: 'webhook',
  concurrency: RECEIVERS,
  async prepare(room) {
    const server = await AnsweringServer.start();
    const answers = new Map<string, AnswerInput>();
    let latest: AnswerInput = { answer: { text: '' }, isKept: false };
    server.answer = ({ path }) => {
      const { answer, isKept } = answers.get(path) ?? latest;
      return { bytes: bytesOf(answer), isKept };
    };
    const idle: string[] = [];
    for (let index = 0; index < RECEIVERS; index++) {
      const id = `hook-${index}`;
      await room.createAccount(id, { webhookUrl: `${server.url}/${id}` });
      idle.push(id);
    }
    await room.createAccount('pushed', { webhookUrl: `${server.url}/pushed`, reportMode: 'webhook' });
    const headers = bearer(await room.tokenOf('pushed'));
    let count = 0;
    return {
      next: random => oddAnswer(random, { msgKey: TEST_KEY, result: 'ok' }),
      async run(input) {
        latest = input as AnswerInput;
        if (count++ % PUSH_EVERY === 0) {
          const message = { from: '0212345678', to: '01012345678', text: 'pushed' };
          await room.call('POST', '/v1/send/sms', message, headers);
        }
        const id = idle.pop();
        if (id === undefined) throw new Error('more calls than receivers');
        answers.set(`/${id}`, latest);
        const { code, data } = await room.operator('POST', `/accounts/${id}/webhook/test`);
        idle.push(id);
        if (code !== 'A000') return { label: code, finding: `a test call is answered ${code}` };
        // Without what differs from call to call.
        const detail = String(data.detail)
          .replaceAll(/\d+/g, '0')
          .replaceAll(/"[^"]*"/g, '""')
          .slice(0, 60);
        return { label: `${data.status ?? 'no status'} ${detail}` };
      },
      async close() {
        server.close();
      },
    };
  },
};

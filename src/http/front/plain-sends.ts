/** Sends among plain requests. What they are answered with is what every send is answered with. */
import type { AnswerPlain } from '../plain-connections.ts';
import { callerAddress } from './caller-address.ts';
import { sendPathOf } from './send-answers.ts';
import type { SendListenerDeps } from './send-listener.ts';

export function createPlainSends({
  answers,
  turns,
  proxyHops,
}: Pick<SendListenerDeps, 'answers' | 'turns' | 'proxyHops'>): AnswerPlain {
  return ({ method, target, headers, body }, socket, answer) => {
    const to = sendPathOf(method, target);
    if (!to || headers['content-length'] === undefined) return false;
    const address = callerAddress(socket, headers['x-forwarded-for'], proxyHops());
    turns({ authorization: headers.authorization, address }, end => {
      // Its client may have gone while it waited.
      if (socket.destroyed) end();
      else
        void answers({ to, headers, address, body }).then(answered => {
          answer(answered);
          end();
        });
    });
    return true;
  };
}

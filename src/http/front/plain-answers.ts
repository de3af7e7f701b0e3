/** Plain requests that are answered here. What they are answered with is what every such request is answered with. */
import type { PlainRules } from '../plain-connections.ts';
import { callerAddress } from './caller-address.ts';
import type { Front } from './front-listener.ts';

export function createPlainRules({ routes, turns, isProxy, isClosing }: Front): PlainRules {
  const answerPlain: PlainRules['answerPlain'] = ({ method, target, headers, body }, socket, answer) => {
    const answerIt = routes.find(method, target, headers);
    if (!answerIt) return false;
    const address = callerAddress(socket, headers['x-forwarded-for'], isProxy);
    turns({ authorization: headers.authorization, address }, end => {
      // Its client may have gone while it waited.
      if (socket.destroyed) end();
      else
        void answerIt({ headers, address, socket, body }).then(answered => {
          answer(answered);
          end();
        });
    });
    return true;
  };
  return { answerPlain, headerNames: routes.headerNames, isClosing };
}

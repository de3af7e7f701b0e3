/** Registry rules of international messages: text sender ids, and signatures that a country requires. */
import { notRegistered, type Registered } from '../registry/registered.ts';
import { isTextSenderId } from '../request/phone-number.ts';
import { Problem } from '../request/problem.ts';
import type { RegistryRule } from './channel-description.ts';
import { senderEntry, senderProblem } from './registered-sender.ts';

interface Message {
  readonly from: string;
  readonly text: string;
}

/** A text sender id goes out only where it is registered, whatever the account's enforcement. */
export const registeredTextSenderId: RegistryRule<Message> = {
  wanted: ({ from }) => (isTextSenderId(from) ? [{ kind: 'internationalSenderId', key: from }] : []),
  problem: ({ from }, to, registered) =>
    isTextSenderId(from) ? senderIdProblem(from, to, registered) : undefined,
};

export const registeredSenderAndSignature: RegistryRule<Message> = {
  wanted: ({ from }) => [
    isTextSenderId(from) ? { kind: 'internationalSenderId', key: from } : senderEntry(from),
    { kind: 'internationalSignature', key: undefined },
  ],
  problem: ({ from, text }, to, registered) =>
    (isTextSenderId(from) ? senderIdProblem(from, to, registered) : senderProblem(from, registered)) ??
    signatureProblem(text, to, registered),
};

/** Compared exactly, letter case included. */
function senderIdProblem(from: string, to: string | undefined, registered: Registered): Problem | undefined {
  const entry = registered.find('internationalSenderId', from);
  if (!entry) return notRegistered('A302', 'from', 'a sender number, or a registered text sender id', from);
  return isFor(entry, to)
    ? undefined
    : notRegistered('A302', 'from', 'a text sender id registered for the destination', from);
}

/** Where signatures are registered for the recipient's country, the text must begin with one of them. */
function signatureProblem(text: string, to: string | undefined, registered: Registered): Problem | undefined {
  const signatures = registered.every('internationalSignature').filter(entry => isFor(entry, to));
  if (signatures.length === 0 || signatures.some(signature => text.startsWith(signature.text))) {
    return undefined;
  }
  const words = signatures.slice(0, 3).map(signature => `"${signature.text}"`);
  return new Problem('A303', `"text" must begin with the registered signature ${words.join(' or ')}`);
}

function isFor({ prefixes }: { readonly prefixes: readonly string[] }, to: string | undefined): boolean {
  return prefixes.some(prefix => to?.startsWith(prefix));
}

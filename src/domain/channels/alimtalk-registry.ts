/** Registry rules of alimtalk: a registered sender profile, and content that agrees with the approved template. */
import { notRegistered, type Registered } from '../registry/registered.ts';
import { Problem } from '../request/problem.ts';
import { templateMatches } from '../text/template-match.ts';
import type { RegistryRule } from './channel-description.ts';
import type { MessengerButton } from './messenger-buttons.ts';
import { profileEntry, profileProblem } from './registered-sender.ts';

interface Message {
  readonly senderKey: string;
  readonly templateCode: string;
  readonly text: string;
  readonly title?: string;
  readonly header?: string;
  readonly attachment?: { readonly button?: readonly MessengerButton[] };
}

export const registeredProfileAndTemplate: RegistryRule<Message> = {
  wanted: step => [profileEntry(step.senderKey), { kind: 'alimtalkTemplate', key: templateKey(step) }],
  problem: (step, _to, registered) =>
    profileProblem(step.senderKey, registered) ?? templateProblem(step, registered),
};

function templateKey({ senderKey, templateCode }: Message): string {
  return `${senderKey}/${templateCode}`;
}

/** Parts of a template that the operator did not register are not compared. */
function templateProblem(step: Message, registered: Registered): Problem | undefined {
  const template = registered.find('alimtalkTemplate', templateKey(step));
  if (!template) {
    const mustBe = 'a registered template of the sender profile';
    return notRegistered('A505', 'templateCode', mustBe, step.templateCode);
  }
  const { title, header, buttons } = template;
  if (!templateMatches(template.text, step.text)) return different('text');
  if (title !== undefined && !templateMatches(title, step.title ?? '')) return different('title');
  if (header !== undefined && !templateMatches(header, step.header ?? '')) return different('header');
  if (buttons !== undefined && !buttonsMatch(buttons, step.attachment?.button ?? [])) {
    return different('button');
  }
  return undefined;

  function different(name: string): Problem {
    return new Problem('A505', `"${name}" differs from the registered template ${step.templateCode}`);
  }
}

function buttonsMatch(approved: readonly MessengerButton[], given: readonly MessengerButton[]): boolean {
  return (
    approved.length === given.length &&
    approved.every((button, index) => {
      const counterpart: Readonly<Record<string, string | undefined>> = given[index] ?? {};
      return Object.entries(button).every(([name, value]) => templateMatches(value, counterpart[name] ?? ''));
    })
  );
}

/** Registry rules of alimtalk: a registered sender profile, and content that agrees with the approved template. */
import { notRegistered, type Registered } from '../registry/registered.ts';
import type { EntryOf } from '../registry/registry.ts';
import { stateOf } from '../registry/template-state.ts';
import { isUnfilled } from '../request/field-kinds.ts';
import { isNotGiven, type Reading } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import { templateCanMatch, templateMatches } from '../text/template-match.ts';
import type { RegistryRule } from './channel-description.ts';
import { profileEntry, profileProblem } from './registered-sender.ts';

interface Message {
  readonly senderKey: string;
  readonly templateCode: string;
  readonly msgType?: string;
  readonly text: string;
  readonly title?: string;
  readonly header?: string;
  readonly attachment?: {
    readonly button?: readonly object[];
    readonly item?: object;
    readonly itemHighlight?: object;
  };
  readonly supplement?: { readonly quickReply?: readonly object[] };
}

type AlimtalkTemplate = EntryOf<'alimtalkTemplate'>;

export const registeredProfileAndTemplate: RegistryRule<Message> = {
  wanted: step => [profileEntry(step.senderKey), { kind: 'alimtalkTemplate', key: templateKey(step) }],
  problem: (step, _to, registered, reading) =>
    profileProblem(step.senderKey, registered, reading) ?? templateProblem(step, registered, reading),
};

export function templateKey({
  senderKey,
  templateCode,
}: Pick<Message, 'senderKey' | 'templateCode'>): string {
  return `${senderKey}/${templateCode}`;
}

function templateProblem(step: Message, registered: Registered, reading: Reading): Problem | undefined {
  if (isUnfilled(templateKey(step), reading)) return undefined;
  const template = registered.find('alimtalkTemplate', templateKey(step));
  if (!template) {
    const mustBe = 'a registered template of the sender profile';
    return notRegistered('A505', 'templateCode', mustBe, step.templateCode);
  }
  const state = stateOf(template);
  if (state !== 'approved') {
    const sentence = `"templateCode" must be an approved template (${step.templateCode} is in the state ${state})`;
    return new Problem('A505', sentence);
  }
  const [name] = differences(step, template, reading);
  return name === undefined
    ? undefined
    : new Problem('A505', `"${name}" differs from the registered template ${step.templateCode}`);
}

/**
 * The fields in which a message differs from its template. What the template does not have the message cannot have either:
 * a title, a button or a reply that nobody approved. Only a `msgType` that is not registered may be any.
 */
export function differences(step: Message, template: AlimtalkTemplate, reading: Reading = 'final'): string[] {
  const { attachment = {}, supplement = {} } = step;
  const compared: readonly (readonly [name: string, approved: unknown, given: unknown])[] = [
    ['msgType', template.msgType ?? step.msgType, step.msgType],
    ['text', template.text, step.text],
    ['title', template.title, step.title],
    ['header', template.header, step.header],
    ['attachment.item', template.item, attachment.item],
    ['attachment.itemHighlight', template.itemHighlight, attachment.itemHighlight],
    ['attachment.button', template.buttons, attachment.button],
    ['supplement.quickReply', template.quickReplies, supplement.quickReply],
  ];
  return compared.filter(([, approved, given]) => !agrees(approved, given, reading)).map(([name]) => name);
}

/** Whether a part of a message is what was approved; without an approved one there must be none. */
export function agrees(approved: unknown, given: unknown, reading: Reading): boolean {
  return approved === undefined ? isNotGiven(given) : matches(approved, given, reading);
}

/** Lists have the same length; a member that is not registered, such as the address for a PC, may be anything. */
function matches(approved: unknown, given: unknown, reading: Reading): boolean {
  if (typeof approved === 'string') {
    const text = typeof given === 'string' ? given : '';
    return isUnfilled(text, reading) ? templateCanMatch(approved, text) : templateMatches(approved, text);
  }
  if (Array.isArray(approved)) {
    const list: readonly unknown[] = Array.isArray(given) ? given : [];
    return (
      approved.length === list.length && approved.every((each, place) => matches(each, list[place], reading))
    );
  }
  const members: Readonly<Record<string, unknown>> = Object(given);
  return Object.entries(Object(approved)).every(([name, value]) => matches(value, members[name], reading));
}

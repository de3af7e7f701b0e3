/** Registry rules of brandmessage: a registered sender profile, and an approved template where the message names one. */
import { notRegistered, type Registered } from '../registry/registered.ts';
import type { EntryOf, RegistryRef } from '../registry/registry.ts';
import { stateOf } from '../registry/template-state.ts';
import { isUnfilled } from '../request/field-kinds.ts';
import type { Reading } from '../request/fields.ts';
import { Problem } from '../request/problem.ts';
import { agrees } from './alimtalk-registry.ts';
import type { RegistryRule } from './channel-description.ts';
import { type FriendtalkContent, missingPicture } from './friendtalk/friendtalk.ts';
import type { FriendtalkType } from './friendtalk/types.ts';
import { profileEntry, profileProblem } from './registered-sender.ts';

interface Message extends FriendtalkContent {
  readonly senderKey: string;
  readonly sendType: 'basic' | 'free' | 'template';
  readonly msgType: FriendtalkType;
  readonly templateCode?: string;
}

export const registeredBrandTemplate: RegistryRule<Message> = {
  wanted: step => [profileEntry(step.senderKey), ...wantedTemplate(step)],
  problem: (step, _to, registered, reading) =>
    profileProblem(step.senderKey, registered, reading) ??
    (step.sendType === 'free' ? missingPicture(step) : templateProblem(step, registered, reading)),
};

function wantedTemplate(step: Message): RegistryRef[] {
  const ref = brandTemplateRef(step);
  return ref ? [ref] : [];
}

/** A free message is made without a template, whatever code it names. */
export function brandTemplateRef({ sendType, senderKey, templateCode }: Message) {
  return sendType === 'free' || templateCode === undefined
    ? undefined
    : ({ kind: 'brandmessageTemplate', key: `${senderKey}/${templateCode}` } as const);
}

function templateProblem(step: Message, registered: Registered, reading: Reading): Problem | undefined {
  const ref = brandTemplateRef(step);
  if (!ref || isUnfilled(ref.key, reading)) return undefined;
  const template = registered.find(ref.kind, ref.key);
  const code = step.templateCode ?? '';
  if (!template) {
    return notRegistered('A505', 'templateCode', 'a registered template of the sender profile', code);
  }
  const state = stateOf(template);
  if (state !== 'approved') {
    const sentence = `"templateCode" must be an approved template (${code} is in the state ${state})`;
    return new Problem('A505', sentence);
  }
  const [name] = brandDifferences(step, template, reading);
  return name === undefined
    ? undefined
    : new Problem('A505', `"${name}" differs from the registered template ${code}`);
}

/** The fields in which a message differs from its template. What the message leaves out comes from the template. */
export function brandDifferences(
  { msgType, text, attachment }: Message,
  template: EntryOf<'brandmessageTemplate'>,
  reading: Reading = 'final',
): string[] {
  const compared: readonly (readonly [name: string, approved: unknown, given: unknown])[] = [
    ['msgType', template.msgType ?? msgType, msgType],
    ['text', template.text ?? text, text ?? template.text],
    ['attachment.button', template.buttons ?? [], attachment?.button ?? template.buttons ?? []],
  ];
  return compared.filter(([, approved, given]) => !agrees(approved, given, reading)).map(([name]) => name);
}

/** A template as the message that is made from it, and back: the editor and the phone know messages. */

import { TEMPLATE_KINDS, type TemplateKind } from '../../../src/domain/registry/template.ts';
import type { TemplateView } from '../../../src/operations/templates.ts';
import { type Entry, isEntry, textAt } from '../compose/entry.ts';
import type { Words } from '../words/en.ts';

const CHANNELS = {
  alimtalkTemplate: 'alimtalk',
  brandmessageTemplate: 'brandmessage',
  rcsTemplate: 'rcs',
} as const satisfies Record<TemplateKind, string>;
export type TemplateChannel = (typeof CHANNELS)[TemplateKind];

export function channelOf(kind: TemplateKind): TemplateChannel {
  return CHANNELS[kind];
}

/** A template is called as the channel that it is for. */
export function kindNames({ channels }: Pick<Words, 'channels'>): Readonly<Record<string, string>> {
  return Object.fromEntries(TEMPLATE_KINDS.map(kind => [kind, channels[CHANNELS[kind]]]));
}

export function kindOf(channel: string): TemplateKind | undefined {
  return TEMPLATE_KINDS.find(kind => CHANNELS[kind] === channel);
}

/** The alimtalk that a template makes, with its variables still in it. */
export function alimtalkOf(template: Entry): Entry {
  const { senderKey, templateCode, msgType, header, title, text } = template;
  const { buttons, item, itemHighlight, quickReplies } = template;
  const attachment = given({ button: buttons, item, itemHighlight });
  return given({
    senderKey,
    templateCode,
    msgType: msgType ?? 'AT',
    header,
    title,
    text,
    attachment: Object.keys(attachment).length > 0 ? attachment : undefined,
    supplement: quickReplies === undefined ? undefined : { quickReply: quickReplies },
  });
}

/** The fields of the template that an alimtalk shows; those of its key are not among them. */
function templateOfAlimtalk(entry: Entry): Entry {
  const { msgType, header, title, text, attachment, supplement } = entry;
  const { button, item, itemHighlight } = isEntry(attachment) ? attachment : {};
  return given({
    msgType,
    header,
    title,
    text,
    item: withoutEmptyList(item),
    itemHighlight,
    buttons: button,
    quickReplies: isEntry(supplement) ? supplement.quickReply : undefined,
  });
}

/** What a template of brandmessage shows, as the message that has the same content. */
function contentOfBrand({ senderKey, templateCode, msgType, text, buttons }: Entry): Entry {
  const attachment = buttons === undefined ? undefined : { button: buttons };
  return given({ senderKey, templateCode, msgType: msgType ?? 'FT', text, attachment });
}

/** A brandmessage of a template: the content comes from there, the values of its text and whom it is for from the step. */
export function brandOf({ senderKey, templateCode, msgType, text }: Entry, step: Entry): Entry {
  const { targeting, adFlag, messageVariable } = step;
  const values = isEntry(messageVariable) ? messageVariable : {};
  const names =
    typeof text === 'string' ? [...text.matchAll(/#\{([^{}]*)\}/g)].map(([, name = '']) => name) : [];
  return given({
    senderKey,
    sendType: 'basic',
    templateCode,
    msgType: msgType ?? textAt(step, 'msgType'),
    messageVariable:
      names.length > 0 ? Object.fromEntries(names.map(name => [name, textAt(values, name)])) : undefined,
    targeting,
    adFlag,
  });
}

/** An RCS message of an issued template: what the step has of its own stays, such as the sender. */
export function rcsOf({ formatId, brandKey }: Entry, variables: readonly string[], step: Entry): Entry {
  const { content, body, buttons, ...own } = step;
  const values = isEntry(content) && isEntry(content.template) ? content.template : {};
  const template = Object.fromEntries(variables.map(name => [name, textAt(values, name)]));
  return { ...own, ...given({ brandKey: brandKey ?? own.brandKey }), formatId, content: { template } };
}

/** The step of a template on the phone. */
export function shownStep(kind: TemplateKind, entry: Entry): Entry {
  if (kind === 'alimtalkTemplate') return { channel: 'alimtalk', ...entry };
  if (kind === 'brandmessageTemplate') return { channel: 'brandmessage', sendType: 'basic', ...entry };
  const { formatId, brandKey, templateKind, text } = entry;
  return { channel: 'rcs', formatId, brandKey, templateKind, body: { description: text } };
}

/** As it is exported: what an import takes. */
export function keyOf(kind: TemplateKind, entry: Entry): string {
  return kind === 'rcsTemplate'
    ? textAt(entry, 'formatId').trim()
    : `${textAt(entry, 'senderKey').trim()}/${textAt(entry, 'templateCode').trim()}`;
}

/** What is edited of a template. */
export function entryOf(template: TemplateView): Entry {
  const { kind, formatId, brandKey, templateKind, text } = template;
  if (kind === 'alimtalkTemplate') return alimtalkOf(template);
  if (kind === 'brandmessageTemplate') return contentOfBrand(template);
  return given({ formatId, brandKey, templateKind, text });
}

export function fieldsOf(kind: TemplateKind, entry: Entry): Entry {
  if (kind === 'alimtalkTemplate') return templateOfAlimtalk(entry);
  if (kind === 'brandmessageTemplate') {
    const { msgType, text, attachment } = entry;
    return given({ msgType, text, buttons: isEntry(attachment) ? attachment.button : undefined });
  }
  const { templateKind, brandKey, text } = entry;
  return given({ templateKind, brandKey, text });
}

/** Where the composer shows a field that the gateway names: `buttons[0].name` is at `attachment.button.0.name`. */
export function pathInMessage(name: string): string {
  const path = name.replaceAll(/\[(\d+)\]/g, '.$1');
  const [head = '', ...rest] = path.split('.');
  return [PLACES[head] ?? head, ...rest].join('.');
}

const PLACES: Readonly<Record<string, string>> = {
  buttons: 'attachment.button',
  item: 'attachment.item',
  itemHighlight: 'attachment.itemHighlight',
  quickReplies: 'supplement.quickReply',
};

/** Rows that were added and left empty do not count. */
function withoutEmptyList(item: unknown): unknown {
  if (!isEntry(item)) return undefined;
  return Object.keys(item).length > 0 ? item : undefined;
}

function given(members: Entry): Entry {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** What a message of each channel is written in: tables of fields, in the order in which they are shown. */

import type { Option } from '../components/field.tsx';
import type { ImagePurpose } from '../gateway/files.ts';
import type { Channel } from '../gateway/steps.ts';
import type { Words } from '../words/en.ts';
import { type Entry, textAt } from './entry.ts';
import { friendtalkFields } from './friendtalk-fields.ts';
import { messengerButtons } from './messenger-button-fields.ts';
import { rcsFields } from './rcs-fields.ts';

type FieldWord = keyof Words['fields'];

interface AnyField {
  readonly path: string;
  readonly word: FieldWord;
  /** Shown only when more fields are asked for. */
  readonly isExtra?: boolean;
}

export type FieldRow =
  | (AnyField & { readonly kind: 'text' | 'long' | 'number' })
  | (AnyField & {
      readonly kind: 'choice';
      readonly options: (t: Words) => readonly Option[];
      readonly fallback: string;
      /** What else a choice changes; the value at `path` alone unless told. */
      readonly pick?: (entry: Entry, value: string) => Entry;
      /** The option that stands for a value which is none of them. */
      readonly otherwise?: string;
    })
  | (AnyField & {
      readonly kind: 'image';
      readonly purpose: ImagePurpose;
      readonly refers: 'media' | 'imgUrl';
    })
  | (AnyField & { readonly kind: 'images'; readonly purpose: ImagePurpose; readonly max: number })
  | (AnyField & {
      readonly kind: 'list';
      readonly item: (entry: Entry) => readonly FieldRow[];
      readonly blank: Entry;
      readonly min: number;
      readonly max: number;
      readonly adds: 'addButton' | 'addRow' | 'addCard';
    })
  | (AnyField & { readonly kind: 'pairs' });

/** Options of a table of words. */
function optionsOf(table: Readonly<Record<string, string>>): Option[] {
  return Object.entries(table).map(([value, label]) => ({ value, label }));
}

const from: FieldRow = { kind: 'text', path: 'from', word: 'from' };
const text: FieldRow = { kind: 'long', path: 'text', word: 'text' };
const originCID: FieldRow = { kind: 'text', path: 'originCID', word: 'originCID', isExtra: true };

export function fieldsOf(channel: Channel, entry: Entry): readonly FieldRow[] {
  switch (channel) {
    case 'sms':
    case 'international':
      return [from, text, originCID];
    case 'mms':
      return [
        from,
        { kind: 'text', path: 'title', word: 'title' },
        text,
        { kind: 'images', path: 'fileKey', word: 'fileKey', purpose: { service: 'MMS' }, max: 3 },
        originCID,
      ];
    case 'rcs':
      return rcsFields(entry);
    case 'alimtalk':
      return ALIMTALK;
    case 'friendtalk':
    case 'brandmessage':
      return friendtalkFields(channel, textAt(entry, 'msgType') || 'FT', textAt(entry, 'sendType'));
  }
}

const ITEM_ROW: readonly FieldRow[] = [
  { kind: 'text', path: 'title', word: 'itemTitle' },
  { kind: 'text', path: 'description', word: 'itemText' },
];

const ALIMTALK: readonly FieldRow[] = [
  { kind: 'text', path: 'senderKey', word: 'senderKey' },
  { kind: 'text', path: 'templateCode', word: 'templateCode' },
  {
    kind: 'choice',
    path: 'msgType',
    word: 'msgType',
    options: t => optionsOf(t.options.alimtalk),
    fallback: 'AT',
  },
  { kind: 'text', path: 'header', word: 'headerLine' },
  { kind: 'text', path: 'title', word: 'emphasis' },
  text,
  messengerButtons('attachment.button', 5),
  {
    kind: 'list',
    path: 'attachment.item.list',
    word: 'items',
    item: () => ITEM_ROW,
    blank: { title: '', description: '' },
    min: 0,
    max: 10,
    adds: 'addRow',
  },
  { kind: 'text', path: 'attachment.item.summary.title', word: 'summaryTitle', isExtra: true },
  { kind: 'text', path: 'attachment.item.summary.description', word: 'summaryText', isExtra: true },
  { kind: 'text', path: 'attachment.itemHighlight.title', word: 'highlightTitle', isExtra: true },
  { kind: 'text', path: 'attachment.itemHighlight.description', word: 'highlightText', isExtra: true },
];

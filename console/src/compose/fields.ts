/** The fields of a message in the composer, for each channel, in the order in which they are shown. */

import { optionsOf } from '../components/options.ts';
import type { Channel } from '../gateway/steps.ts';
import { type Entry, textAt } from './entry.ts';
import type { FieldRow } from './field-row.ts';
import { friendtalkFields } from './friendtalk-fields.ts';
import { messengerButtons } from './messenger-button-fields.ts';
import { rcsFields } from './rcs-fields.ts';

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

import { optionsOf } from '../components/options.ts';
import { type Entry, textAt } from './entry.ts';
import type { FieldRow } from './field-row.ts';

/** What a button of each type needs besides its label. */
const TARGETS: Readonly<Record<string, readonly FieldRow[]>> = {
  WL: [
    { kind: 'text', path: 'urlMobile', word: 'urlMobile' },
    { kind: 'text', path: 'urlPc', word: 'urlPc' },
  ],
  AL: [
    { kind: 'text', path: 'schemeIos', word: 'schemeIos' },
    { kind: 'text', path: 'schemeAndroid', word: 'schemeAndroid' },
  ],
  TN: [{ kind: 'text', path: 'telNumber', word: 'telNumber' }],
};

const type: FieldRow = {
  kind: 'choice',
  path: 'type',
  word: 'buttonType',
  options: t => optionsOf(t.options.messengerButtons),
  fallback: 'WL',
};

export function messengerButtons(path: string, max: number): FieldRow {
  return {
    kind: 'list',
    path,
    word: 'buttons',
    item: (button: Entry) => [
      type,
      { kind: 'text', path: 'name', word: 'buttonName' },
      ...(TARGETS[textAt(button, 'type')] ?? []),
    ],
    blank: { type: 'WL', name: '' },
    min: 0,
    max,
    adds: 'addButton',
  };
}

/** The fields of a template that are edited as those of the message that is made from it. RCS has a form of its own. */

import type { TemplateKind } from '../../../src/domain/registry/template.ts';
import { optionsOf } from '../components/options.ts';
import type { Entry } from '../compose/entry.ts';
import type { FieldRow } from '../compose/field-row.ts';
import { fieldsOf } from '../compose/fields.ts';
import { messengerButtons } from '../compose/messenger-button-fields.ts';

const BRANDMESSAGE: readonly FieldRow[] = [
  { kind: 'text', path: 'senderKey', word: 'senderKey' },
  { kind: 'text', path: 'templateCode', word: 'templateCode' },
  {
    kind: 'choice',
    path: 'msgType',
    word: 'msgType',
    options: t => optionsOf(t.options.friendtalk),
    fallback: 'FT',
  },
  { kind: 'long', path: 'text', word: 'text' },
  messengerButtons('attachment.button', 5),
];

export function templateFields(kind: TemplateKind, entry: Entry): readonly FieldRow[] {
  if (kind === 'rcsTemplate') return [];
  return kind === 'alimtalkTemplate' ? fieldsOf('alimtalk', entry) : BRANDMESSAGE;
}

/** One row of the tables that describe a message in the composer: which input, and which value of the entry it edits. */
import type { Option } from '../components/options.ts';
import type { ImagePurpose } from '../gateway/files.ts';
import type { Words } from '../words/en.ts';
import type { Entry } from './entry.ts';

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
      /** What a choice changes in the entry; without it, the value at `path` alone. */
      readonly pick?: (entry: Entry, value: string) => Entry;
      /** The option shown for a value that is not in the list. */
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
  | (AnyField & { readonly kind: 'pairs' | 'json' });

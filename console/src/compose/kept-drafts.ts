/**
 * Drafts outlive a reload and the Back button: each place of the browser's history that shows the composer has an id, and
 * the tab keeps the drafts of the last few places. A place that is new continues the last draft that was not sent.
 *
 * They are kept in the tab, not in the browser: they hold numbers and texts, and go when the tab is closed or its operator
 * signs out. Another operator of the same tab does not get them.
 */
import { CHANNELS } from '../gateway/steps.ts';
import type { Draft } from './draft.ts';
import { isEntry, listAt, textAt } from './entry.ts';

export type Mode = 'form' | 'json';

export interface Composition {
  readonly draft: Draft;
  readonly mode: Mode;
  /** What is written in the mode `json`. */
  readonly json: string;
  readonly account: string | undefined;
}

export interface KeptDraft extends Composition {
  /** Of its place. */
  readonly id: string;
  readonly who: string;
  /** Whether a new place continues it: not once it was sent, or another place went on with it. */
  readonly isOpen: boolean;
}

type Place = Pick<Storage, 'getItem' | 'setItem'>;

const NAME = 'bongsu.drafts';
const MOST_KEPT = 5;
/** The messages of the contract are far below; what is pasted need not be. */
const LONGEST_KEPT = 200_000;

/** The draft of this place; if the place is new, the last one that is open. */
export function keptDraft(
  storage: Place,
  { id, who, isNew }: { readonly id: string; readonly who: string; readonly isNew: boolean },
): KeptDraft | undefined {
  const own = readAll(storage).filter(kept => kept.who === who);
  return own.find(kept => kept.id === id) ?? (isNew ? own.findLast(kept => kept.isOpen) : undefined);
}

/** Keeps the draft of a place, and closes the one that it `continues`. */
export function keepDraft(
  storage: Place,
  place: Omit<KeptDraft, keyof Composition> & { readonly continues: string | undefined },
  composition: Composition,
): void {
  const { id, who, isOpen, continues } = place;
  const { draft, mode, json, account } = composition;
  const kept: KeptDraft = { id, who, isOpen, draft, mode, json, account };
  if (JSON.stringify(kept).length > LONGEST_KEPT) return;
  const others = readAll(storage).filter(other => other.id !== id);
  const closed = others.map(other => (other.id === continues ? { ...other, isOpen: false } : other));
  writeAll(storage, [...closed, kept].slice(-MOST_KEPT));
}

export function forgetDraft(storage: Place, id: string): void {
  writeAll(
    storage,
    readAll(storage).filter(kept => kept.id !== id),
  );
}

function writeAll(storage: Place, all: readonly KeptDraft[]): void {
  try {
    storage.setItem(NAME, JSON.stringify(all));
  } catch {
    // No room, or storage is disabled: the draft lasts as long as the page.
  }
}

function readAll(storage: Place): KeptDraft[] {
  try {
    const all: unknown = JSON.parse(storage.getItem(NAME) ?? '[]');
    return Array.isArray(all) ? all.filter(isKept) : [];
  } catch {
    return [];
  }
}

/** An older version of the console may have written it. */
function isKept(value: unknown): value is KeptDraft {
  const steps = listAt(value, 'draft.steps');
  const isReadable = (step: unknown) =>
    isEntry(step) && isEntry(step.entry) && CHANNELS.some(channel => channel === step.channel);
  return (
    isEntry(value) &&
    isEntry(value.draft) &&
    Array.isArray(value.draft.words) &&
    steps.length > 0 &&
    steps.every(isReadable) &&
    ['form', 'json'].includes(textAt(value, 'mode'))
  );
}

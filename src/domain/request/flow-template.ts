/**
 * The entries of a flow that hold placeholders, ready to be filled in for each recipient.
 *
 * A client decides how often a placeholder is repeated and how long its word is, and their product for ten recipients can
 * stop the process. So the work is bounded before it is done: what nobody reads is left out once, when the template is made;
 * the values and placeholders that stay are counted; and filling in stops as soon as a text is certainly too long for its
 * field, with the field's own code.
 */
import { channelOf } from '../channels/channel-table.ts';
import type { Step } from '../delivery/flow.ts';
import { HOPELESS_FACTOR } from '../text/characters.ts';
import { missingWord, PLACEHOLDER, shownKey, type Words } from '../text/substitution.ts';
import { type Field, type Fields, isNotGiven, isObject, Members } from './fields.ts';
import { Problem } from './problem.ts';

// Our choice: each of these is far above what the messages of the contract need.
/** Members and entries of lists that are read again for each recipient; a full carousel has about 500. */
export const MAX_TEMPLATE_VALUES = 5000;
/** A flow rarely has more than there may be words for it, which is 100. */
export const MAX_PLACEHOLDERS = 1000;
/** A text without a limit of its own, such as a value of an expert RCS body; carriers stop at bodies of 10 KB. */
export const MAX_FREE_TEXT = 20_000;
/** Deeper than any object of the contract. */
const MAX_DEPTH = 64;
/** All texts of one recipient that hold placeholders, once they are filled in. */
export const MAX_FILLED = 100_000;

/** A text with placeholders: `literals[0] keys[0] literals[1] keys[1] …`. */
class TextTemplate {
  readonly literals: readonly string[];
  readonly keys: readonly string[];
  /** More code units than this are certainly too long. */
  readonly mostUnits: number;
  readonly tooLong: Problem;

  constructor(literals: readonly string[], keys: readonly string[], path: string, field: Field<unknown>) {
    this.literals = literals;
    this.keys = keys;
    const { measure } = field;
    // A field that measures itself counts what is only a little too long, and says how long it was.
    this.mostUnits = measure ? measure.max * HOPELESS_FACTOR : MAX_FREE_TEXT;
    const limit = measure ? `${measure.max} ${measure.unit}` : `${MAX_FREE_TEXT} characters`;
    this.tooLong = new Problem(measure?.tooLong ?? field.missingCode, `"${path}" is longer than ${limit}`);
  }
}

export class FlowTemplate {
  readonly #path: string;
  /** What is read of each entry; a `TextTemplate` where a text holds placeholders. */
  readonly #entries = new Map<number, unknown>();
  #values = 0;
  #placeholders = 0;
  #depth = 0;
  #problem: Problem | undefined;

  /** `path` is what the request calls the flow. */
  constructor(path: string) {
    this.#path = path;
  }

  /** Adds the entry that was read, as a template, as `step`. */
  add(index: number, entry: unknown, step: Step): Problem | undefined {
    const { channel } = step;
    const message = isObject(entry) ? new Members(entry).find(channel) : undefined;
    const path = `${this.#path}[${index}].${channel}`;
    this.#entries.set(index, { [channel]: this.#declared(message, fieldsOf(step), path) });
    return this.#problem;
  }

  /** The entries, by their index, as the recipient with these words gets them. */
  fill(words: Words): ReadonlyMap<number, unknown> | Problem {
    const filling = new Filling(words, this.#path);
    const filled = new Map<number, unknown>();
    for (const [index, entry] of this.#entries) filled.set(index, filling.fill(entry));
    return filling.problem ?? filled;
  }

  /** The declared members of an object, under their proper names; the others are not read. */
  #declared(value: unknown, fields: Fields, path: string): unknown {
    if (!isObject(value)) return value;
    const members = new Members(value);
    let filled: Members | undefined;
    const kept: Record<string, unknown> = {};
    for (const [name, field] of Object.entries(fields)) {
      let member = members.find(name, field.aliases);
      if (member === undefined) continue;
      if (isNotGiven(member)) {
        // Where one spelling of a name is blank and another is not, the messenger channels read the other.
        filled ??= new Members(withoutBlankMembers(value));
        member = filled.find(name, field.aliases);
      }
      kept[name] = this.#value(member, field, `${path}.${name}`);
    }
    return kept;
  }

  #value(value: unknown, field: Field<unknown>, path: string): unknown {
    if (this.#problem) return value;
    if (++this.#values > MAX_TEMPLATE_VALUES) {
      return this.#refuse(`holds placeholders and more than ${MAX_TEMPLATE_VALUES} values`);
    }
    if (typeof value === 'string') return this.#text(value, field, path);
    // Bodies are bounded where they are received; forms saved by earlier versions are not.
    if (++this.#depth > MAX_DEPTH) return this.#refuse(`is nested deeper than ${MAX_DEPTH} levels`);
    const inside = this.#inside(value, field, path);
    this.#depth--;
    return inside;
  }

  #inside(value: unknown, field: Field<unknown>, path: string): unknown {
    const { parts } = field;
    const item = parts && 'item' in parts ? parts.item : undefined;
    if (Array.isArray(value)) {
      return value.map((each, index) => this.#value(each, item ?? field, `${path}[${index}]`));
    }
    if (!isObject(value)) return value;
    // A single entry may stand for a list of one.
    const members = (item ?? field).parts;
    if (members && 'members' in members) return this.#declared(value, members.members, path);
    return this.#free(value, field, path);
  }

  /** An object whose names the client chose. */
  #free(value: Readonly<Record<string, unknown>>, field: Field<unknown>, path: string): unknown {
    const kept = Object.entries(value).map(([name, member]) => [
      name,
      this.#value(member, field, `${path}.${shownKey(name)}`),
    ]);
    return Object.fromEntries(kept);
  }

  #text(value: string, field: Field<unknown>, path: string): unknown {
    const literals: string[] = [];
    const keys: string[] = [];
    let end = 0;
    for (const { 0: whole, 1: key = '', index } of value.matchAll(PLACEHOLDER)) {
      if (++this.#placeholders > MAX_PLACEHOLDERS) {
        return this.#refuse(`holds more than ${MAX_PLACEHOLDERS} placeholders`);
      }
      literals.push(value.slice(end, index));
      keys.push(key);
      end = index + whole.length;
    }
    if (keys.length === 0) return value;
    return new TextTemplate([...literals, value.slice(end)], keys, path, field);
  }

  #refuse(sentence: string): undefined {
    this.#problem = new Problem('A300', `"${this.#path}" ${sentence}`);
  }
}

/** Fills in the words of one recipient, up to the first problem. */
class Filling {
  problem: Problem | undefined;
  readonly #words: Words;
  readonly #path: string;
  #length = 0;

  constructor(words: Words, path: string) {
    this.#words = words;
    this.#path = path;
  }

  fill(value: unknown): unknown {
    if (this.problem) return undefined;
    if (value instanceof TextTemplate) return this.#fillText(value);
    if (Array.isArray(value)) return value.map(each => this.fill(each));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.fill(member)]));
  }

  #fillText({ literals, keys, mostUnits, tooLong }: TextTemplate): string | undefined {
    let text = literals[0] ?? '';
    for (const [index, key] of keys.entries()) {
      if (!Object.hasOwn(this.#words, key)) return this.#refuse(missingWord(key));
      text += (this.#words[key] ?? '') + (literals[index + 1] ?? '');
      if (text.length > mostUnits) return this.#refuse(tooLong);
    }
    this.#length += text.length;
    if (this.#length <= MAX_FILLED) return text;
    const sentence = `"${this.#path}" is longer than ${MAX_FILLED} characters with the replaceWords of this recipient`;
    return this.#refuse(new Problem('A300', sentence));
  }

  #refuse(problem: Problem): undefined {
    this.problem = problem;
  }
}

function withoutBlankMembers(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !isNotGiven(member)));
}

/** The fields of an entry of the step's channel. */
function fieldsOf(step: Step): Fields {
  const { fields } = channelOf(step).request;
  if (!('byType' in fields)) return fields.entry ?? fields.single;
  return ('msgType' in step && fields.byType[step.msgType]?.entry) || {};
}

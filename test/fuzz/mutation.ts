/** Changes to valid inputs: of trees of values, of the text of JSON, of bytes. */
import type { SeededRandom } from '../simulation/seeded-random.ts';
import { ODD_TEXTS, oddText, oddValue } from './oddities.ts';

type Tree = { [name: string]: unknown } | unknown[];

/** A copy in which one to three places are other than they should be. */
export function mutatedTree(random: SeededRandom, value: unknown): unknown {
  // Not every odd value can be cloned by writing and reading it.
  let copy = structuredClone(value);
  for (let times = random.pick([1, 1, 2, 3]); times > 0; times--) copy = changedOnce(random, copy);
  return copy;
}

function changedOnce(random: SeededRandom, root: unknown): unknown {
  const places: (readonly [Tree, string | number])[] = [];
  collect(root);
  if (places.length === 0 || random.chance(0.01)) return oddValue(random);
  const [parent, key] = random.pick(places);
  const members = parent as Record<string | number, unknown>;
  const old = members[key];
  switch (random.below(8)) {
    case 0:
      if (Array.isArray(parent)) parent.splice(Number(key), 1);
      else delete members[key];
      break;
    case 1:
      if (Array.isArray(parent)) parent.splice(Number(key), 0, oddValue(random));
      else put(members, random.chance(0.5) ? random.pick(ODD_TEXTS) : `${key}x`, old);
      break;
    case 2:
      // Something of another place, of another type perhaps.
      put(members, key, structuredClone(valueAt(random.pick(places))));
      break;
    case 3:
      if (Array.isArray(parent))
        parent.push(...Array.from({ length: random.pick([1, 10, 1000]) }, () => old));
      else put(members, key, random.chance(0.3) ? [old] : otherValue(random, old));
      break;
    default:
      put(members, key, otherValue(random, old));
  }
  return root;

  function collect(tree: unknown, depth = 0): void {
    if (typeof tree !== 'object' || tree === null || depth > 20 || places.length > 2000) return;
    for (const name of Object.keys(tree)) {
      places.push([tree as Tree, Array.isArray(tree) ? Number(name) : name]);
      collect((tree as Record<string, unknown>)[name], depth + 1);
    }
  }
}

/** Mostly of the same type: the wrong type is refused at the door, and what is behind it not reached. */
function otherValue(random: SeededRandom, old: unknown): unknown {
  if (random.chance(0.2)) return oddValue(random);
  if (typeof old === 'string') return random.chance(0.4) ? mutatedText(random, old) : oddText(random);
  if (typeof old === 'number')
    return random.pick([0, -0, -1, old + 1, 0.1, 1e308, 2 ** 31, 2 ** 53 + 2, -(2 ** 63)]);
  return oddValue(random);
}

/** Also under a name that an assignment takes for something else. */
function put(members: Record<string | number, unknown>, key: string | number, value: unknown): void {
  Object.defineProperty(members, key, { value, enumerable: true, configurable: true, writable: true });
}

function valueAt([tree, key]: readonly [Tree, string | number]): unknown {
  return (tree as Record<string | number, unknown>)[key];
}

export function mutatedText(random: SeededRandom, text: string): string {
  const at = random.below(text.length + 1);
  switch (random.below(6)) {
    case 0:
      return text.slice(0, at) + oddText(random) + text.slice(at);
    case 1:
      return text.slice(0, at) + text.slice(at + random.between(1, 4));
    case 2:
      return text.repeat(random.pick([2, 3, 30]));
    case 3:
      return text.slice(0, at) + String.fromCharCode(random.below(0x1_0000)) + text.slice(at + 1);
    case 4:
      return random.chance(0.5) ? text.toUpperCase() : ` ${text} `;
    default:
      return text.slice(0, at);
  }
}

/** JSON as text, mostly sound; sometimes with what a tree cannot hold. */
export function jsonText(random: SeededRandom, value: unknown): string {
  const text = JSON.stringify(value) ?? 'undefined';
  if (random.chance(0.85)) return text;
  switch (random.below(9)) {
    case 0:
      return text.replace(/"(\w+)":/, '"$1":1,"$1":');
    case 1:
      return `\ufeff${text}`;
    case 2:
      return text.slice(0, random.below(text.length + 1));
    case 3:
      return text.replace(/\d+/, random.pick(['1e400', '-1e-400', '1'.repeat(400), '0.1e', '01', '1_000']));
    case 4:
      return text.replace('{', `{"__proto__":{"to":"1"},"constructor":{"prototype":{"code":1}},`);
    case 5:
      return '['.repeat(random.pick([10, 1000, 100_000])) + text;
    case 6:
      return text.replace(/[,:]/, random.pick([' ', ',,', ':', '\u0000', '/**/', '\n\t\r ']));
    case 7:
      return text.replace('{', `{${'"a":0,'.repeat(random.pick([100, 5000]))}`);
    default:
      return mutatedText(random, text);
  }
}

export function mutatedBytes(random: SeededRandom, bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = random.below(copy.length + 1);
  switch (random.below(7)) {
    case 0:
      return Buffer.concat([copy.subarray(0, at), randomBytes(random), copy.subarray(at)]);
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([
        copy.subarray(0, at),
        copy.subarray(Math.min(copy.length, at + random.between(1, 9))),
      ]);
    case 3:
      return Buffer.concat([copy, copy.subarray(at)]);
    case 4:
      // Lengths and counts are whole numbers at the edge of their range.
      if (copy.length >= 4) {
        const edge = random.pick([0, 1, 0x7f, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff]);
        copy.writeUInt32BE(edge, random.below(copy.length - 3));
      }
      return copy;
    default:
      for (let times = random.between(1, 5); times > 0 && copy.length > 0; times--) {
        copy[random.below(copy.length)] = random.below(256);
      }
      return copy;
  }
}

function randomBytes(random: SeededRandom): Buffer {
  return Buffer.from(Array.from({ length: random.pick([1, 2, 4, 16, 300]) }, () => random.below(256)));
}

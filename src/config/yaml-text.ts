/**
 * The text of bongsu.yaml as values. YAML is a large language: whatever the text makes of it, the outcome is values or
 * problems, in a time that does not grow faster than the text. The library's own check of duplicate keys and its long error
 * messages take the square of it (16 s for 20,000 keys), so both are done here.
 */
import { createRequire } from 'node:module';
import type { Document } from 'yaml';

const MOST_CHARACTERS = 65_536;
const MOST_PROBLEMS = 20;
const DEEPEST = 64;
/** Looked at before the library sees the text: beyond its own depth it makes an error of every character. */
const MOST_OPEN = 500;
const TOO_DEEP = `the file: expected at most ${DEEPEST} levels, and no alias that refers to its own parent`;
const NOT_PLAIN = 'the file: expected only strings, numbers, booleans, lists and maps';

/**
 * Loaded with the first text: most commands find no bongsu.yaml, and start a sixth faster without it. `import()` would make
 * every reader of settings wait.
 */
function yaml(): typeof import('yaml') {
  return createRequire(import.meta.url)('yaml');
}

/** Undefined where there are problems; they are pushed. */
export function parseYaml(source: string, problems: string[]): unknown {
  if (source.length > MOST_CHARACTERS) {
    problems.push(`the file: expected at most ${MOST_CHARACTERS} characters`);
    return undefined;
  }
  if (opensAtOnce(source) > MOST_OPEN) {
    problems.push(TOO_DEEP);
    return undefined;
  }
  try {
    return readValues(source, problems);
  } catch (error) {
    // What the library throws is about aliases: of nothing, or of so many others that they would become too much.
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(isStackSpent(reason) ? TOO_DEEP : `not valid YAML: ${reason}`);
    return undefined;
  }
}

function readValues(source: string, problems: string[]): unknown {
  const { LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(source, {
    lineCounter: lines,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  if (document.errors.some(({ message }) => isStackSpent(message))) {
    problems.push(TOO_DEEP);
    return undefined;
  }
  // A warning is about a tag or a directive that nobody here understands.
  const wrong = [...document.errors, ...document.warnings].map(({ message, pos: [at] }) => ({ message, at }));
  if (wrong.length === 0) wrong.push(...wrongKeys(document));
  for (const { message, at } of wrong.slice(0, MOST_PROBLEMS)) {
    const { line, col } = lines.linePos(at);
    problems.push(`not valid YAML: ${message} at line ${line}, column ${col}`);
  }
  if (wrong.length > 0) return undefined;
  const root: unknown = document.toJS() ?? {};
  const problem = shapeProblem(root, DEEPEST, []);
  if (problem === undefined) return root;
  problems.push(problem);
  return undefined;
}

/** The most brackets and braces that are open at a time, those within texts too. */
function opensAtOnce(source: string): number {
  let open = 0;
  let most = 0;
  for (const character of source) {
    if (character === '[' || character === '{') most = Math.max(most, ++open);
    else if ((character === ']' || character === '}') && open > 0) open--;
  }
  return most;
}

interface WrongKey {
  readonly message: string;
  readonly at: number;
}

function wrongKeys(document: Document): WrongKey[] {
  const { isNode, isScalar, visit } = yaml();
  const found: WrongKey[] = [];
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        const at = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
        if (!isScalar(key)) found.push({ message: 'A key must be a text', at });
        else if (seen.has(key.value)) found.push({ message: 'Map keys must be unique', at });
        else seen.add(key.value);
      }
    },
  });
  return found;
}

/** The library follows the levels of the text with its own calls, and may keep what that ends with as an error. */
function isStackSpent(message: string): boolean {
  return message.startsWith('Maximum call stack');
}

/** What contains itself, by an alias, is deeper than anything. Tags make sets, dates and bytes, which nobody here reads. */
function shapeProblem(value: unknown, levels: number, around: readonly object[]): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (levels === 0 || around.includes(value)) return TOO_DEEP;
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return NOT_PLAIN;
  for (const each of Object.values(value)) {
    const problem = shapeProblem(each, levels - 1, [...around, value]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

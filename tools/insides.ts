/**
 * Finds uses of what a library, or Node, does not document: it may change with any release. `npm run check` fails on them.
 */

interface Rule {
  readonly what: string;
  readonly pattern: RegExp;
}

const LIBRARY_TYPES =
  'Socket|TLSSocket|Server|Agent|ClientRequest|IncomingMessage|ServerResponse|Worker|MessagePort|Client|Connection|Query';

const RULES: readonly Rule[] = [
  { what: 'a member whose name begins with an underscore', pattern: /\w\)?\??\._[a-z]\w*/gi },
  { what: 'a member whose name begins with an underscore', pattern: /\[(['"`])_\w+\1\]/g },
  {
    what: 'a member whose name begins with an underscore',
    pattern: /\{\s*(?:[\w$]+(?::\s*[\w$]+)?,\s*)*_[a-z]\w*\s*[,:}=]/gi,
  },
  {
    what: 'a method replaced by another function',
    pattern:
      /^\s*(?!this\.|static |readonly |const |let )[\w\][.?]+\.\w+ = (?:async )?(?:\([^)]*\)(?:: [\w<>|\s]+)? =>|\w+ =>|function\b)/gm,
  },
  { what: 'listeners of somebody else', pattern: /\.(?:rawListeners|listeners|removeAllListeners)\(/g },
  {
    what: 'a type widened by members it does not have',
    pattern: new RegExp(`\\b(?:${LIBRARY_TYPES}) & \\{`, 'g'),
  },
  { what: 'the wire connection of pg', pattern: /[cC]lient\.connection\b/g },
];

export interface Finding {
  readonly what: string;
  readonly line: number;
}

export function insidesIn(source: string): Finding[] {
  const code = source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, comment => comment.replace(/[^\n]/g, ' '));
  return RULES.flatMap(({ what, pattern }) =>
    [...code.matchAll(pattern)].map(found => {
      // A match may begin with the end of the line before.
      const at = found.index + found[0].length - found[0].trimStart().length;
      return { what, line: code.slice(0, at).split('\n').length };
    }),
  );
}

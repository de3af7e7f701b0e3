/** Which deliberate bugs there are: for each area the text that one changes, and the tests that should notice. */

interface Rule {
  /** Each match in the code of a file is a mutant; comments are not code. */
  readonly find: RegExp;
  /** What stands there instead; it is given the match and its groups. */
  readonly put: (found: string, one: string, two: string) => string;
}

export interface Area {
  readonly what: string;
  readonly files: RegExp;
  readonly rules: readonly Rule[];
  /** In the order in which they are run; the tests beside a mutated file come first. */
  readonly tests: readonly string[];
}

const UNIT = 'src/!(store)/**/*.test.ts';
const BEHAVIOUR = 'test/{behaviour/*,carriers/smpp/gateway*}.test.ts';
const SQLITE = 'test/store/sqlite.test.ts';
const POSTGRES = 'test/store/postgres.test.ts';

/** What an account's condition is compared with: a parameter of either engine. */
const PARAMETER = String.raw`(?:\?\d*|\$\d+|:\w+(?:::\w+)?)`;

function ofAccounts(folders: string, always: string, tests: readonly string[]): Area {
  return {
    what: `a query of ${folders} that finds the rows of every account`,
    files: new RegExp(`^src/store/(${folders})/(?!rollups|migrations)[\\w-]+\\.ts$`),
    rules: [
      {
        find: new RegExp(String.raw`(?<![:\w])((?:\w+\.)?account = ${PARAMETER})`, 'g'),
        put: found => `(${found} OR ${always})`,
      },
    ],
    tests,
  };
}

const instead =
  (text: string): Rule['put'] =>
  () =>
    text;
/** The second group is a number. */
const oneMore: Rule['put'] = (_, before, number) => `${before}${Number(number.replaceAll('_', '')) + 1}`;

export const AREAS: Readonly<Record<string, Area>> = {
  sealed: {
    what: 'a sealed column that is stored in clear',
    files: /^src\/store\/records\/[\w-]+\.ts$/,
    rules: [
      {
        find: /\bsealed\(\s*((?:text|json)(?:<[^(]*>)?\('\w+'\)),\s*'[\w.]+',\s*(?:\[[^\]]*\]|[A-Z_]+)[^()]*\)/g,
        put: (_, column) => column,
      },
    ],
    tests: ['test/behaviour/data-key.test.ts', 'test/behaviour/data-key-places.test.ts'],
  },
  durability: {
    what: 'a setting by which an answer says more than the disk keeps',
    files:
      /^src\/(store\/(sqlite|postgres)|composition)\/(database|durability|checkpoint-thread|snapshot)\.ts$/,
    rules: [
      { find: /PRAGMA synchronous = FULL/g, put: instead('PRAGMA synchronous = OFF') },
      { find: /PRAGMA journal_mode = WAL/g, put: instead('PRAGMA journal_mode = MEMORY') },
      { find: /PRAGMA secure_delete = ON/g, put: instead('PRAGMA secure_delete = OFF') },
      { find: /row\.(fsync|full_page_writes) !== 'on'/g, put: (_, setting) => `row.${setting} === 'never'` },
      { find: /synchronous_commit === 'off'/g, put: instead("synchronous_commit === 'never'") },
      { find: /=== 'required'/g, put: instead("=== 'never'") },
    ],
    tests: [
      UNIT,
      'test/crash/*.test.ts',
      'test/faults/durability*.test.ts',
      SQLITE,
      'test/store/postgres.test.ts',
      'test/cli/*.test.ts',
    ],
  },
  // What is written once for both engines is tried on SQLite, which has no row security that would hide the bug.
  'accounts-sqlite': ofAccounts('sqlite|tables', '1', [SQLITE, BEHAVIOUR]),
  'accounts-postgres': ofAccounts('postgres', 'true', [POSTGRES, 'test/store/row-security.test.ts']),
  promises: {
    what: 'a promise that one condition keeps',
    files: /^src\/(platform\/hashing|report\/webhook\/lane|http\/contract\/[\w-]+|accept\/idempotency)\.ts$/,
    rules: [
      { find: /hash\('sha256', text, 'base64url'\)/g, put: instead('String(text)') },
      { find: / \|\| account\.blocked/g, put: instead('') },
      { find: /return idempotency \? /g, put: instead('return false && idempotency ? ') },
      { find: /earlier\.bodyHash === bodyHash/g, put: instead('true') },
    ],
    tests: ['test/behaviour/{token,webhooks,send}.test.ts', BEHAVIOUR],
  },
  roles: {
    what: 'an operation of the operator API for a lower role',
    files: /^src\/(http\/operator|operations)\/[\w-]+(?<!\.test|\.openapi)\.ts$/,
    rules: [
      { find: /\brole: 'operator'/g, put: instead("role: 'viewer'") },
      { find: /\brole: 'admin'/g, put: instead("role: 'operator'") },
      { find: /(?<=(?:route|guard)\([^\n]*)'operator'(?=[,)])/g, put: instead("'viewer'") },
      { find: /(?<=(?:route|guard)\([^\n]*)'admin'(?=[,)])/g, put: instead("'operator'") },
    ],
    tests: ['test/behaviour/operator-roles.test.ts', 'test/behaviour/operator-*.test.ts'],
  },
  limits: {
    what: 'a limit that is one more',
    files: /^src\/(domain|http|accept)\/(?!korean)[\w/-]+(?<!\.test)\.ts$/,
    rules: [
      {
        find: /^((?:export )?const (?:MOST|MAX|LONGEST|SHORTEST|LARGEST)_[A-Z_0-9]+(?:: \w+)? = )([0-9][0-9_]*)(?=;$)/gm,
        put: oneMore,
      },
      { find: /(\bmax: )([0-9][0-9_]*)(?=[,\s])/g, put: oneMore },
    ],
    tests: [UNIT, 'test/openapi/*.test.ts', BEHAVIOUR],
  },
  guards: {
    what: 'a check that lets everything pass',
    files:
      /^src\/(accept|operate)\/(send|guards|reservations|reservation-book|forms|files|resend|opt-out-lists|duplicates|access|password-check)\.ts$/,
    rules: [
      {
        find: /if \((\w+ instanceof Problem)\) return/g,
        put: (_, condition) => `if (false && ${condition}) return`,
      },
      {
        find: /if \((\w*(?:[pP]roblem|[rR]efusal|refused))\) return/g,
        put: (_, condition) => `if (false && ${condition}) return`,
      },
    ],
    tests: ['test/behaviour/{send,files,reservation,opt-outs,resend,duplicates}.test.ts', UNIT, BEHAVIOUR],
  },
  signatures: {
    what: 'a signature or a secret that is not compared',
    files:
      /^src\/(platform\/(hashing|password|vault|vault-ctr|standard-webhooks|sealing)|carriers\/http\/(callback-access|hmac)|http\/[\w/-]+|accept\/[\w-]+|operate\/access)\.ts$/,
    rules: [
      { find: /return timingSafeEqual\(/g, put: instead('return true || timingSafeEqual(') },
      { find: /\|\| !timingSafeEqual\(/g, put: instead('|| false && !timingSafeEqual(') },
      // Its tag is compared at the end.
      { find: / \+ decipher\.final\('utf8'\)/g, put: instead('') },
      { find: /, decipher\.final\(\)(?=\])/g, put: instead('') },
      { find: /(?<!function )(?<!import[^;]*)\bisSame(?:Secret|Text)\(/g, put: found => `true || ${found}` },
    ],
    tests: [UNIT, 'test/behaviour/token.test.ts', BEHAVIOUR],
  },
  transitions: {
    what: 'a change of state that a step makes no more',
    files: /^src\/domain\/delivery\/lifecycle\.ts$/,
    rules: [{ find: /^ {4}\w+: '\w+',\n/gm, put: instead('') }],
    tests: [UNIT, SQLITE, BEHAVIOUR],
  },
  segments: {
    what: 'a character or a part of a text that is counted wrongly',
    files: /^src\/domain\/text\/(sms-segments|euc-kr)\.ts$/,
    rules: [
      { find: /(\b(?:single|part): )([0-9]+)/g, put: oneMore },
      { find: /(\bconst \w+ = )(0x[0-9a-f]+|[0-9]+)(?=;$)/gm, put: oneMore },
      { find: /(\btable\.fill\()([12])(?=,)/g, put: oneMore },
      { find: /(?<=\(| )(<=|>)(?= [\w.[\]]+\))/g, put: found => (found === '<=' ? '<' : '>=') },
      { find: /character, ([12])\]/g, put: (_, cost) => `character, ${cost === '1' ? 2 : 1}]` },
      { find: /const LATER_SIGNS = '€®'/g, put: instead("const LATER_SIGNS = '€'") },
    ],
    tests: [
      'src/domain/text/*.test.ts',
      'src/domain/channels/*.test.ts',
      UNIT,
      'test/behaviour/send.test.ts',
    ],
  },
};

/** Mutants that no test notices, by the reason. */
const SURVIVORS: Readonly<Record<string, readonly string[]>> = {
  "The first syllable is one of EUC-KR proper, which the platform's decoder fills in.": [
    'euc-kr.ts: const FIRST_SYLLABLE = 0xac00 → const FIRST_SYLLABLE = 44033',
  ],
};

export const EXPECTED_SURVIVORS: ReadonlyMap<string, string> = new Map(
  Object.entries(SURVIVORS).flatMap(([reason, names]) => names.map(name => [name, reason])),
);

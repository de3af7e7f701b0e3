/** What the answer of `npm audit --json` means for us. */

export type Audited =
  /** A registry without audits answers so; anything else is a failure of the call. */
  | { readonly isAvailable: false; readonly isOffered: boolean; readonly why: string }
  | {
      readonly isAvailable: true;
      /** High or critical, in what runs in production. */
      readonly severe: readonly string[];
      readonly others: readonly string[];
    };

const SEVERE = ['high', 'critical'];
/** Not found, method not allowed, not implemented. */
const NOT_OFFERED: readonly unknown[] = [404, 405, 501];

export function readAudit(answer: string, production: readonly string[]): Audited {
  const parsed = parseObject(answer);
  const found = parsed?.vulnerabilities;
  if (typeof found !== 'object' || found === null) {
    const why = typeof parsed?.message === 'string' ? parsed.message : 'no answer';
    return { isAvailable: false, isOffered: !NOT_OFFERED.includes(parsed?.statusCode), why };
  }
  const severe: string[] = [];
  const others: string[] = [];
  for (const [name, { severity = 'unknown', range = '' }] of Object.entries<Finding>({ ...found })) {
    const isSevere = SEVERE.includes(severity) && production.includes(name);
    (isSevere ? severe : others).push(`${name} ${range}: ${severity}`);
  }
  return { isAvailable: true, severe, others };
}

interface Finding {
  readonly severity?: string;
  readonly range?: string;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

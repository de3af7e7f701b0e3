/** bongsu.yaml: whatever is in it, it is read or its problems are named, and soon. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { HTTP_KEYS } from '../../../src/config/http-keys.ts';
import { OMNI_KEYS } from '../../../src/config/omni-keys.ts';
import { SMPP_KEYS } from '../../../src/config/smpp-keys.ts';
import type { SeededRandom } from '../../simulation/seeded-random.ts';
import { LONGEST_TURN_MS } from '../long-turns.ts';
import { mutatedText, mutatedTree } from '../mutation.ts';
import { oddText, oddValue } from '../oddities.ts';
import type { Target } from '../target.ts';
import type { ReadResult } from '../yaml-reader.ts';

interface YamlInput {
  readonly yaml: string;
}

const READER = fileURLToPath(new URL('../yaml-reader.ts', import.meta.url));
const LONGEST_WAIT_MS = 60_000;
const TIMES = 3;
const LONGEST_PROBLEM = 5000;
const BASE = `
carriers:
  sim: { kind: simulator, latency: 0 }
  korea: { kind: smpp, host: 127.0.0.1, port: 2775, systemId: fuzz, password: "\${SECRET}", window: 10, responseTimeout: 3s }
  upstream: { kind: omni, url: "https://service.invalid", account: fuzz, password: "\${SECRET}", channels: [sms], gather: 10, repeatable: false }
  acme:
    kind: http
    auth: { basic: { user: fuzz, password: "\${SECRET}" } }
    submit: { url: "https://provider.invalid/messages", json: { to: "{{to}}", text: "{{text}}", files: "{{media?}}" } }
    channels: { sms: {}, mms: { url: "https://provider.invalid/mms" } }
    outcomes:
      - { status: 2xx, pointer: /id, result: accepted, id: /id }
      - { status: [4xx, 500], matches: "^(a|b)+$", result: permanent, reportCode: "23014", code: /code }
    receipt: { id: /id, status: /state, statuses: { done: delivered, "*": failed } }
    callback: { token: { header: x-token, value: a-token-of-the-provider } }
    polling: { url: "https://provider.invalid/receipts", interval: 5s, list: /items }
    media: { url: "https://provider.invalid/files", multipart: { image: "{{file}}" }, id: /id }
routes:
  - { channel: sms, prefix: ["010"], account: [shop], via: [korea, acme] }
  - { channel: mms, via: [acme], weight: 3 }
`;
/** Texts that mean something to YAML. */
const WORDS = [
  ...[
    '&a',
    '*a',
    '<<: *a',
    '!!binary',
    '!!set',
    '!!js/function',
    '!<x>',
    '%YAML 1.1',
    '---',
    '...',
    '? ',
    '- ',
    ': ',
    '|',
    '>',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '#',
    '\t',
    "'",
    '"',
    '"\\x"',
    '"\\ud800"',
    '~',
    'yes',
    '0o17',
    '.inf',
    '.nan',
    '1_000',
    '2026-01-01',
  ],
  ...['${SECRET}', '${NOBODY}', '${', '__proto__: {a: 1}', 'constructor: x', '\u0000', '\ufeff', '\u2028'],
];

export const configurationFile: Target = {
  name: 'yaml',
  concurrency: 1,
  isOnce: true,
  async prepare() {
    const directory = mkdtempSync(join(tmpdir(), 'bongsu-fuzz-yaml-'));
    let reader = startReader(directory);
    const read = async (source: string): Promise<ReadResult | undefined> => {
      const { promise, resolve } = Promise.withResolvers<ReadResult | undefined>();
      const timer = setTimeout(() => resolve(undefined), LONGEST_WAIT_MS);
      reader
        .removeAllListeners()
        .on('message', resolve)
        .on('exit', () => resolve(undefined));
      reader.send(source);
      const answer = await promise;
      clearTimeout(timer);
      if (answer) return answer;
      reader.removeAllListeners().kill('SIGKILL');
      reader = startReader(directory);
      return undefined;
    };
    return {
      next: (random, corpus) => ({
        yaml: next(random, [BASE, ...corpus.map(saved => (saved as YamlInput).yaml)]),
      }),
      async run(input) {
        const { yaml } = input as YamlInput;
        const result = await read(yaml);
        if (!result) return { label: 'no answer', finding: 'the reader hangs or has ended' };
        const { problems, thrown } = result;
        if (thrown !== undefined) return { label: 'thrown', finding: thrown };
        let { cpuMs } = result;
        for (let time = 1; time < TIMES && cpuMs > LONGEST_TURN_MS; time++) {
          cpuMs = Math.min(cpuMs, (await read(yaml))?.cpuMs ?? 0);
        }
        if (cpuMs > LONGEST_TURN_MS)
          return { label: 'slow', finding: `it takes ${Math.round(cpuMs)} ms to read` };
        const long = problems.find(({ length }) => length > LONGEST_PROBLEM);
        if (long !== undefined) return { label: 'long', finding: `a problem of ${long.length} characters` };
        return { label: labelOf(problems) };
      },
      async close() {
        reader.kill('SIGKILL');
        rmSync(directory, { recursive: true, force: true });
      },
    };
  },
};

function startReader(directory: string): ChildProcess {
  const options = ['--disable-warning=ExperimentalWarning', '--max-old-space-size=256'];
  const reader = spawn(process.execPath, [...options, READER, join(directory, 'bongsu.yaml')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  process.once('exit', () => reader.kill('SIGKILL'));
  return reader;
}

/** The first problem without what came from the input. */
function labelOf(problems: readonly string[]): string {
  const [first] = problems;
  if (first === undefined) return 'read';
  const [, reason = first] = /^[^:]*: [^:]*: (.*)/s.exec(first) ?? [];
  return reason
    .replaceAll(/"[^"]*"/g, '""')
    .replaceAll(/\d+/g, '0')
    .slice(0, 70);
}

function next(random: SeededRandom, bases: readonly string[]): string {
  const base = random.pick(bases);
  const text = random.chance(0.6) ? structured(random, base) : base;
  if (random.chance(0.5)) return text;
  const at = random.below(text.length + 1);
  return random.chance(0.6)
    ? text.slice(0, at) + random.pick(WORDS) + text.slice(at)
    : mutatedText(random, text);
}

/** The file as a tree, changed there, with other keys of carriers in it. */
function structured(random: SeededRandom, base: string): string {
  try {
    const tree = parse(base, { logLevel: 'error' }) as {
      readonly carriers?: Record<string, Record<string, unknown>>;
    };
    const carriers = Object.values(tree?.carriers ?? {});
    const keys = Object.keys(random.pick([HTTP_KEYS, SMPP_KEYS, OMNI_KEYS]));
    if (carriers.length > 0)
      random.pick(carriers)[random.pick(keys)] = random.chance(0.5) ? oddText(random) : oddValue(random);
    return stringify(mutatedTree(random, tree));
  } catch {
    return mutatedText(random, base);
  }
}

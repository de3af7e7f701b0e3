/**
 * The command line without a new process for each command: a child process that has loaded it runs them one after
 * another. Loading takes half a second of CPU; most commands take milliseconds.
 *
 * What a command could leave behind is new for each: its environment and its standard streams. One that lives on
 * (`serve`), or must run beside another, needs a process of its own (`bongsu(…, { process: true })`).
 * The child ends with the test file: it waits for the next order, and the end of the channel is the last one.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';

interface CommandOrder {
  readonly args: readonly string[];
  /** Beside the environment of the child itself. */
  readonly env: Readonly<Record<string, string>>;
  readonly input: string;
}

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export class CommandHost {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;
  #last: Promise<unknown> = Promise.resolve();

  /** `env` is all that it inherits. */
  constructor(env: NodeJS.ProcessEnv, execArgv: readonly string[]) {
    this.#child = fork(fileURLToPath(import.meta.url), {
      cwd: tmpdir(),
      env,
      execArgv: [...execArgv],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#ended = once(this.#child, 'exit').then(([code, signal]) => {
      throw new Error(`the command host ended (${signal ?? code}); what it wrote is above`);
    });
    this.#ended.catch(() => {});
    this.#mayEnd(true);
  }

  run(order: CommandOrder): Promise<CommandResult> {
    const result = this.#last.then(() => this.#runNext(order));
    this.#last = result.catch(() => {});
    return result;
  }

  async #runNext(order: CommandOrder): Promise<CommandResult> {
    this.#mayEnd(false);
    try {
      const answered = once(this.#child, 'message');
      this.#child.send(order);
      const [result] = await Promise.race([answered, this.#ended]);
      return result as CommandResult;
    } finally {
      this.#mayEnd(true);
    }
  }

  /** Whether this process may end although the child is there. */
  #mayEnd(isIdle: boolean): void {
    const method = isIdle ? 'unref' : 'ref';
    this.#child[method]();
    this.#child.channel?.[method]();
  }
}

/** In the child. */
async function answer({ args, env, input }: CommandOrder): Promise<CommandResult> {
  const { runCommand } = await import('../../src/cli/main.ts');
  const [stdin, stdout, stderr] = [Readable.from([Buffer.from(input)]), new Captured(), new Captured()];
  for (const [name, value] of Object.entries({ stdin, stdout, stderr })) {
    Object.defineProperty(process, name, { value, configurable: true });
  }
  const code = await runCommand(args, { ...process.env, ...env });
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

class Captured extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

if (import.meta.main) {
  process.on('message', async (order: CommandOrder) => process.send?.(await answer(order)));
  process.on('disconnect', () => process.exit());
}

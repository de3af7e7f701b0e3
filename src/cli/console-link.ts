/** `bongsu console-link`: a link that signs in to the console once, without a token that is typed or pasted. */
import type { Command } from 'commander';
import { operatorCommand, type PlaceOptions, withTools } from './operator.ts';
import { print } from './output.ts';

export function addConsoleLinkCommand(program: Command, env: NodeJS.ProcessEnv): void {
  const command = operatorCommand(
    program.command('console-link'),
    'make a link that signs in to the console once, within ten minutes',
    ['console-link', 'console-link --url https://msg.example.com'],
  );
  command.action((options: PlaceOptions) =>
    withTools(env, options, async ({ consoleLink }) => {
      const made = await consoleLink();
      print(options, made, () => `${made.link}    (once, until ${made.expiresAt.slice(11, 16)})`);
    }),
  );
}

/** `bongsu backup` and `bongsu restore`. See docs/backup.md. */
import type { Command } from 'commander';
import type { Backup } from '../composition/backups.ts';
import type { HeldBack } from '../composition/restore.ts';
import { loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure, warn } from './failure.ts';
import { gatewayOf, operatorCommand, type PlaceOptions } from './operator.ts';
import { describeCommand, formatPairs, type OutputOptions, print } from './output.ts';

export function addBackupCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const backup = operatorCommand(
    program.command('backup').argument('<directory>', 'new directory for the backup'),
    'back up the SQLite store and its files while the gateway runs',
    ['backup /backups/bongsu-2026-11-16', 'backup /backups/bongsu-2026-11-16 --json'],
  );
  backup.action(async (directory: string, options: PlaceOptions) => {
    const gateway = await gatewayOf(env, options);
    const made = await explained(async () => {
      const { makeBackup, receiveBackup } = await import('../composition/backups.ts');
      return gateway
        ? receiveBackup(gateway.download('/backups', {}), directory)
        : makeBackup(loadConfig(env, CHANNELS, { mayLackSecrets: true }), directory);
    });
    print(options, made, () => `${factsOf(made)}\nwritten to ${directory}`);
    warnOfMissing(made);
  });

  const restore = describeCommand(
    program
      .command('restore')
      .argument(
        '[directory]',
        'the directory of a backup; none after a restore of PostgreSQL by its own tools',
      ),
    'restore a backup into an empty data directory (BONGSU_DATA_DIR), and hold back the messages that waited in it',
    ['restore /backups/bongsu-2026-11-16', 'restore /backups/bongsu-2026-11-16 --nothing-sent', 'restore'],
  );
  restore.option(
    '--nothing-sent',
    'no gateway has sent anything since the backup: send what waited in it. Without it such messages become unknown, and reservations are held',
  );
  restore.action(
    async (directory: string | undefined, options: OutputOptions & { readonly nothingSent?: boolean }) => {
      const isNothingSent = options.nothingSent === true;
      if (directory === undefined) await holdBack(env, options, isNothingSent);
      else await restoreFrom(directory, env, options, isNothingSent);
    },
  );
}

async function restoreFrom(
  directory: string,
  env: NodeJS.ProcessEnv,
  options: OutputOptions,
  isNothingSent: boolean,
): Promise<void> {
  const result = await explained(async () => {
    const { restoreBackup } = await import('../composition/restore.ts');
    return restoreBackup(loadConfig(env, CHANNELS, { mayLackSecrets: true }), directory, isNothingSent);
  });
  print(options, result, () => {
    const lines = [factsOf(result.backup), ...linesOf(result), 'restored: start the gateway'];
    return lines.join('\n');
  });
  warnOfMissing(result.backup);
}

/** PostgreSQL was put back by its own tools. */
async function holdBack(
  env: NodeJS.ProcessEnv,
  options: OutputOptions,
  isNothingSent: boolean,
): Promise<void> {
  const config = loadConfig(env, CHANNELS, { mayLackSecrets: true });
  if (!config.secrets.databaseUrl) throw new Failure('name the directory of the backup');
  if (isNothingSent) throw new Failure('nothing is held back with --nothing-sent: start the gateway');
  const result = await explained(async () => {
    const { holdBackRestored } = await import('../composition/restore.ts');
    return holdBackRestored(config);
  });
  print(options, result, () => {
    const lines = linesOf(result);
    return [...(lines.length > 0 ? lines : ['no messages were pending']), 'start the gateway'].join('\n');
  });
}

function linesOf({ doubted, held }: HeldBack): string[] {
  const messages = `${doubted} messages waited to be sent. They may have been sent since and are not sent again: they end with their receipts or deadlines`;
  const reservations = `${held} reservations are held. They may have been sent since: see "bongsu reservation list --status HELD", then release or cancel each`;
  return [...(doubted > 0 ? [messages] : []), ...(held > 0 ? [reservations] : [])];
}

async function explained<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const { BackupProblem } = await import('../composition/backups.ts');
    throw error instanceof BackupProblem ? new Failure(error.message) : error;
  }
}

function factsOf({ beganAt, messages, open, files, fileBytes }: Backup): string {
  return formatPairs({
    began: beganAt,
    messages: String(messages),
    pending: String(open),
    files: `${files} (${fileBytes} bytes)`,
  });
}

function warnOfMissing({ missingFiles }: Backup): void {
  for (const hash of missingFiles) warn(`the bytes of a file were not there: ${hash}`);
}

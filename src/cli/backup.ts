/** `bongsu backup` and `bongsu restore`. See docs/backup.md. */
import type { Command } from 'commander';
import type { Backup } from '../composition/backups.ts';
import { loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure, warn } from './failure.ts';
import { gatewayOf, operatorCommand, type PlaceOptions } from './operator.ts';
import { describeCommand, formatPairs, type OutputOptions, print } from './output.ts';

export function addBackupCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const backup = operatorCommand(
    program.command('backup').argument('<directory>', 'a new directory for it'),
    'copy the embedded store with its files, while the gateway runs',
    ['backup /backups/bongsu-2026-11-16', 'backup /backups/bongsu-2026-11-16 --json'],
  );
  backup.action(async (directory: string, options: PlaceOptions) => {
    const gateway = await gatewayOf(env, options);
    const made = await explained(async () => {
      const { makeBackup, receiveBackup } = await import('../composition/backups.ts');
      return gateway
        ? receiveBackup(gateway.download('/backups', {}), directory)
        : makeBackup(loadConfig(env, CHANNELS), directory);
    });
    print(options, made, () => `${factsOf(made)}\nwritten to ${directory}`);
    warnOfMissing(made);
  });

  const restore = describeCommand(
    program.command('restore').argument('<directory>', 'the directory of a backup'),
    'put a backup into an empty data directory (BONGSU_DATA_DIR)',
    ['restore /backups/bongsu-2026-11-16', 'restore /backups/bongsu-2026-11-16 --nothing-sent'],
  );
  restore.option(
    '--nothing-sent',
    'no gateway has sent anything since the backup: send what waited in it. Without it such messages become unknown',
  );
  restore.action(async (directory: string, options: OutputOptions & { readonly nothingSent?: boolean }) => {
    const result = await explained(async () => {
      const { restoreBackup } = await import('../composition/backups.ts');
      return restoreBackup(loadConfig(env, CHANNELS), directory, options.nothingSent === true);
    });
    print(options, result, () => {
      const doubted =
        result.doubted > 0
          ? `\n${result.doubted} messages waited to be sent. They may have been sent since and are not sent again: they end with their receipts or deadlines`
          : '';
      return `${factsOf(result.backup)}${doubted}\nrestored: start the gateway`;
    });
    warnOfMissing(result.backup);
  });
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
    'on their way': String(open),
    files: `${files} (${fileBytes} bytes)`,
  });
}

function warnOfMissing({ missingFiles }: Backup): void {
  for (const hash of missingFiles) warn(`the bytes of a file were not there: ${hash}`);
}

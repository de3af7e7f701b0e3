/** `bongsu files …`: where the bytes of uploaded files are. See docs/files.md. */
import { type Command, InvalidArgumentError } from 'commander';
import { loadConfig } from '../config/config.ts';
import { type FilePlace, parseFilePlace } from '../config/file-place.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure, warn } from './failure.ts';
import { describeCommand, type OutputOptions, print } from './output.ts';

const FILES_PER_LINE = 1000;

export function addFilesCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('files').description('uploaded files: moving them to another place');
  const move = describeCommand(
    group.command('move'),
    'move uploaded files to where BONGSU_FILES says; gateways may run meanwhile',
    ['files move', 'files move --from s3://old-bucket'],
  );
  move.option(
    '--from <place>',
    'directory, database or s3://BUCKET/PREFIX; without it, from the data directory and the database',
    parsePlace,
  );
  move.action(async (options: OutputOptions & { readonly from?: FilePlace }) => {
    const config = loadConfig(env, CHANNELS);
    const { moveFilesOf } = await import('../composition/file-tools.ts');
    const { to, moves } = await moveFilesOf(config, options.from, (from, done) => {
      if (done % FILES_PER_LINE === 0) process.stderr.write(`${nameOf(from)}: ${done} done\n`);
    });
    const shown = moves.map(({ from, ...result }) => ({ from: nameOf(from), to: nameOf(to), ...result }));
    print(options, shown, () => {
      const lines = shown.map(
        ({ from, moved, bytes, unneeded }) =>
          `${from} to ${nameOf(to)}: ${moved} moved (${bytes} bytes), ${unneeded} deleted that no file needs`,
      );
      return lines.join('\n') || `nothing to move: files are in ${nameOf(to)}, and nowhere else here`;
    });
    const damaged = moves.flatMap(result => result.damaged);
    for (const hash of damaged) warn(`the bytes of ${hash} are damaged, and stay where they are`);
    if (damaged.length > 0) throw new Failure('not everything was moved');
  });
}

function nameOf(place: FilePlace): string {
  return place.kind === 's3' ? `s3://${place.bucket}/${place.prefix}` : `the ${place.kind}`;
}

function parsePlace(value: string): FilePlace {
  const place = parseFilePlace(value);
  if (!place) throw new InvalidArgumentError('Expected directory, database or s3://BUCKET/PREFIX.');
  return place;
}

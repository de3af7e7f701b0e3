/** `bongsu files …`: where the bytes of uploaded files are. See docs/files.md. */
import { type Command, InvalidArgumentError } from 'commander';
import type { FilesMoved } from '../composition/file-tools.ts';
import { loadConfig } from '../config/config.ts';
import { EXPECTED_PLACE, parseFilePlace } from '../config/file-place.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure, warn } from './failure.ts';
import { gatewayOf, operatorCommand, type PlaceOptions } from './operator.ts';
import { print } from './output.ts';

const FILES_PER_LINE = 1000;

export function addFilesCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('files').description('uploaded files: moving them to another place');
  const move = operatorCommand(
    group.command('move'),
    'move uploaded files to the place in BONGSU_FILES; gateways may keep running',
    ['files move', 'files move --from s3://old-bucket'],
  );
  move.option(
    '--from <place>',
    `${EXPECTED_PLACE}; without it, from the data directory and the database`,
    parsePlace,
  );
  move.action(async (options: PlaceOptions & { readonly from?: string }) => {
    const { to, moves } = await moved(options);
    print(options, moves, () => {
      const lines = moves.map(
        ({ from, moved, bytes, unneeded }) =>
          `${from} to ${to}: ${moved} moved (${bytes} bytes), ${unneeded} unused deleted`,
      );
      return lines.join('\n') || `nothing to move: all files are already in ${to}`;
    });
    const damaged = moves.flatMap(result => result.damaged);
    for (const hash of damaged) warn(`the bytes of ${hash} are damaged and were not moved`);
    if (damaged.length > 0) throw new Failure('not everything was moved');
  });

  async function moved(options: PlaceOptions & { readonly from?: string }): Promise<FilesMoved> {
    const gateway = await gatewayOf(env, options);
    const show = progressLines();
    if (gateway) {
      const { from } = options;
      return gateway.follow('/files/move', from === undefined ? {} : { from }, progress => {
        const { from: place, done } = progress as { readonly from?: string; readonly done?: number };
        if (place !== undefined && done !== undefined) show(place, done);
      });
    }
    const { moveFilesOf } = await import('../composition/file-tools.ts');
    const place = options.from === undefined ? undefined : parseFilePlace(options.from);
    return moveFilesOf(loadConfig(env, CHANNELS, { mayLackSecrets: true }), place, show);
  }
}

/** A line on standard error now and then. */
function progressLines(): (from: string, done: number) => void {
  let last = { from: '', done: 0 };
  return (from, done) => {
    if (from !== last.from) last = { from, done: 0 };
    if (done - last.done < FILES_PER_LINE) return;
    last = { from, done };
    process.stderr.write(`${from}: ${done} done\n`);
  };
}

function parsePlace(value: string): string {
  if (!parseFilePlace(value)) throw new InvalidArgumentError(`Expected ${EXPECTED_PLACE}.`);
  return value;
}

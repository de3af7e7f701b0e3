/** `bongsu data-key …`: with which data keys the store is encrypted, and encrypting it again. See docs/data-key.md. */
import type { Command } from 'commander';
import type { DataKeyStatus, DataKeys } from '../composition/data-key-tools.ts';
import { loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure } from './failure.ts';
import { gatewayOf, operatorCommand, type PlaceOptions } from './operator.ts';
import type { OperatorClient } from './operator-call.ts';
import { describeCommand, formatTable, type OutputOptions, print } from './output.ts';

export function addDataKeyCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program
    .command('data-key')
    .description('data keys: what is encrypted with which, and rotation');

  const status = operatorCommand(
    group.command('status'),
    'count the values of each table by the key that they are encrypted with; reads everything',
    ['data-key status', 'data-key status --json'],
  );
  status.action((options: PlaceOptions) =>
    withDataKeys(env, options, 'read', async dataKeys => {
      const status = await dataKeys.status();
      const { keys, mode, values } = status;
      print(options, status, () => {
        const isPlain = keys[0] === 'plain';
        const about = [`new values: ${isPlain ? 'stored as they are' : `encrypted with ${keys[0]}`}`];
        if (!isPlain) about.push(`mode: ${MODES[mode]}`);
        if (values.length === 0) return [...about, 'the store has no values to encrypt'].join('\n');
        const rows = values.map(({ table, key, form, values: count }) => [table, key, form, String(count)]);
        return `${about.join('\n')}\n\n${formatTable(['table', 'key', 'form', 'values'], rows)}`;
      });
    }),
  );

  const reseal = operatorCommand(
    group.command('reseal'),
    'encrypt everything with the first key of BONGSU_DATA_KEY; with SQLite, stop the gateway first',
    ['data-key reseal'],
  );
  reseal.action((options: PlaceOptions) =>
    withDataKeys(env, options, 'reseal', async dataKeys => {
      const result = await dataKeys.reseal(progressLines());
      print(options, result, () => {
        const lines = [`${result.changed} of ${result.seen} rows re-encrypted`];
        if (result.unused.length > 0)
          lines.push(`no longer needed in BONGSU_DATA_KEY: ${result.unused.join(', ')}`);
        lines.push(`in use: ${result.inUse.join(', ') || 'no key'}`);
        if (result.isStrict) lines.push('from now on the store refuses values that are not encrypted');
        else if (result.inUse.length > 0)
          lines.push('the store still accepts values that are not encrypted: see "bongsu data-key status"');
        return lines.join('\n');
      });
    }),
  );

  const relax = describeCommand(
    group.command('relax'),
    'accept unencrypted values again, before you give up data keys; run it on the machine of the store',
    ['data-key relax'],
  );
  relax.action((options: OutputOptions) =>
    withDataKeys(env, options, 'relax', async dataKeys => {
      const relaxed = await dataKeys.relax();
      print(options, { relaxed }, () =>
        relaxed ? 'the store reads values that are not encrypted' : 'the store was not strict',
      );
    }),
  );
}

const MODES: Readonly<Record<DataKeyStatus['mode'], string>> = {
  ctr: 'ctr (the form of version 0.2, until "bongsu data-key reseal")',
  gcm: 'gcm (reads earlier and plain values too)',
  strict: 'strict (refuses everything else)',
};

async function withDataKeys<T>(
  env: NodeJS.ProcessEnv,
  options: PlaceOptions,
  access: 'read' | 'relax' | 'reseal',
  work: (dataKeys: DataKeys) => Promise<T>,
): Promise<T> {
  const gateway = await gatewayOf(env, options);
  if (gateway) return work(keysOf(gateway));
  const config = loadConfig(env, CHANNELS, { mayLackSecrets: true });
  const { DataDirectoryInUse, openDataKeys } = await import('../composition/data-key-tools.ts');
  const tools = await openDataKeys(config, access).catch((error: unknown) => {
    if (!(error instanceof DataDirectoryInUse)) throw error;
    throw new Failure(`a gateway serves ${config.dataDir}: stop it first, then re-encrypt`);
  });
  try {
    if (access === 'reseal' && !config.secrets.dataKeys) throw new Failure('BONGSU_DATA_KEY is not set');
    return await work(tools.dataKeys);
  } finally {
    await tools.close();
  }
}

function keysOf({ follow }: OperatorClient): DataKeys {
  return {
    status: () => follow('/data-keys/count', {}, () => {}),
    reseal: onProgress =>
      follow('/data-keys/reseal', {}, progress => {
        if ('table' in progress) onProgress(progress as Parameters<typeof onProgress>[0]);
      }),
    // The command has no --url.
    relax: () => Promise.reject(new Failure('run it on the machine of the store')),
  };
}

const ROWS_PER_LINE = 100_000;

/** A line on standard error for each table, and now and then in a long one. */
function progressLines(): Parameters<DataKeys['reseal']>[0] {
  let last = { table: '', seen: 0 };
  return ({ table, seen, changed }) => {
    if (table === last.table && seen - last.seen < ROWS_PER_LINE) return;
    last = { table, seen };
    process.stderr.write(`${table}: ${seen} rows looked at, ${changed} re-encrypted\n`);
  };
}

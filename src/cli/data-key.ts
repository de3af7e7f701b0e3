/** `bongsu data-key …`: with which data keys the store is sealed, and sealing it anew. See docs/data-key.md. */
import type { Command } from 'commander';
import type { DataKeys } from '../composition/data-key-tools.ts';
import { loadConfig } from '../config/config.ts';
import { CHANNELS } from '../domain/channels/channel.ts';
import { Failure } from './failure.ts';
import { gatewayOf, operatorCommand, type PlaceOptions } from './operator.ts';
import type { OperatorClient } from './operator-call.ts';
import { formatTable, print } from './output.ts';

export function addDataKeyCommands(program: Command, env: NodeJS.ProcessEnv): void {
  const group = program.command('data-key').description('data keys: what is sealed with which, and rotation');

  const status = operatorCommand(
    group.command('status'),
    'count the values of each table by the key that they are sealed with; reads everything',
    ['data-key status', 'data-key status --json'],
  );
  status.action((options: PlaceOptions) =>
    withDataKeys(env, options, 'read', async dataKeys => {
      const { keys, values } = await dataKeys.status();
      print(options, { keys, values }, () => {
        const sealing = `new values: ${keys[0] === 'plain' ? 'stored as they are' : `sealed with ${keys[0]}`}`;
        if (values.length === 0) return `${sealing}\nthe store has no values to seal`;
        const rows = values.map(({ table, key, values: count }) => [table, key, String(count)]);
        return `${sealing}\n\n${formatTable(['table', 'key', 'values'], rows)}`;
      });
    }),
  );

  const reseal = operatorCommand(
    group.command('reseal'),
    'seal everything with the first key of BONGSU_DATA_KEY; with SQLite, stop the gateway first',
    ['data-key reseal'],
  );
  reseal.action((options: PlaceOptions) =>
    withDataKeys(env, options, 'reseal', async dataKeys => {
      const result = await dataKeys.reseal(progressLines());
      print(options, result, () => {
        const lines = [`${result.changed} of ${result.seen} rows sealed anew`];
        if (result.unused.length > 0)
          lines.push(`no longer needed: ${result.unused.join(', ')}; BONGSU_DATA_KEY may leave it out`);
        return [...lines, `in use: ${result.inUse.join(', ') || 'no key'}`].join('\n');
      });
    }),
  );
}

async function withDataKeys<T>(
  env: NodeJS.ProcessEnv,
  options: PlaceOptions,
  access: 'read' | 'reseal',
  work: (dataKeys: DataKeys) => Promise<T>,
): Promise<T> {
  const gateway = await gatewayOf(env, options);
  if (gateway) return work(keysOf(gateway));
  const config = loadConfig(env, CHANNELS);
  const { DataDirectoryInUse, openDataKeys } = await import('../composition/data-key-tools.ts');
  const tools = await openDataKeys(config, access).catch((error: unknown) => {
    if (!(error instanceof DataDirectoryInUse)) throw error;
    throw new Failure(`a gateway serves ${config.dataDir}: stop it first, then seal anew`);
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
  };
}

const ROWS_PER_LINE = 100_000;

/** A line on standard error for each table, and now and then in a long one. */
function progressLines(): Parameters<DataKeys['reseal']>[0] {
  let last = { table: '', seen: 0 };
  return ({ table, seen, changed }) => {
    if (table === last.table && seen - last.seen < ROWS_PER_LINE) return;
    last = { table, seen };
    process.stderr.write(`${table}: ${seen} rows looked at, ${changed} sealed anew\n`);
  };
}

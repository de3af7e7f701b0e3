/** The thread of one piece of long work: carries it out, tells how far it is, and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import type { FilePlace } from '../config/file-place.ts';
import type { Author } from '../operate/audit.ts';
import { DataKeyProblem, type DataKeyStatus, type ResealResult } from '../operate/data-keys.ts';
import type { FilesMoved } from '../operate/maintenance.ts';
import { Secret } from '../platform/secret.ts';
import type { DataKeys } from '../platform/vault.ts';
import { type Backup, BackupProblem, makeBackup } from './backups.ts';
import { openDataKeys } from './data-key-tools.ts';
import { moveFilesOf, PlaceProblem } from './file-tools.ts';

export type Order =
  | { readonly kind: 'dataKeys' | 'reseal' }
  | { readonly kind: 'moveFiles'; readonly from: FilePlace | undefined }
  | { readonly kind: 'backup'; readonly directory: string };

interface Outcomes {
  readonly dataKeys: DataKeyStatus;
  readonly reseal: ResealResult;
  readonly moveFiles: FilesMoved;
  readonly backup: Backup;
}

export type Outcome<Kind extends Order['kind']> = Outcomes[Kind];

export interface MaintenanceData {
  readonly config: SentConfig;
  readonly order: Order;
  readonly author: Author;
}

export interface SentConfig {
  readonly settings: Omit<Config, 'secrets' | 'routes'>;
  readonly secrets: {
    readonly databaseUrl: string | undefined;
    readonly s3AccessKeyId: string | undefined;
    readonly s3SecretAccessKey: string | undefined;
    readonly dataKeys: DataKeys | undefined;
  };
}

export type MaintenanceNews =
  | { readonly kind: 'progress'; readonly progress: object }
  | { readonly kind: 'refusal'; readonly reason: string }
  | { readonly kind: 'done'; readonly outcome: Outcomes[keyof Outcomes] };

const FILES_A_NEWS = 100;

async function carryOut({ config, order, author }: MaintenanceData): Promise<Outcomes[keyof Outcomes]> {
  const received = configOf(config);
  switch (order.kind) {
    case 'backup':
      return makeBackup(received, order.directory, author);
    case 'moveFiles': {
      const onMoved = (from: string, done: number) => {
        if (done % FILES_A_NEWS === 0) progress({ from, done });
      };
      return moveFilesOf(received, order.from, onMoved, author);
    }
    default: {
      const isReseal = order.kind === 'reseal';
      const { dataKeys, close } = await openDataKeys(received, isReseal ? 'reseal' : 'read', author);
      try {
        return await (isReseal ? dataKeys.reseal(progress) : dataKeys.status());
      } finally {
        await close();
      }
    }
  }
}

function progress(progress: object): void {
  tell({ kind: 'progress', progress });
}

function tell(news: MaintenanceNews): void {
  parentPort?.postMessage(news);
}

function configOf({ settings, secrets }: SentConfig): Config {
  const { dataKeys, ...texts } = secrets;
  const wrapped = Object.entries(texts).map(([name, value]) => [name, value && new Secret(value)]);
  // Nothing here sends or serves: the other secrets are not needed.
  return {
    ...settings,
    routes: [],
    secrets: {
      ...Object.fromEntries(wrapped),
      ...(dataKeys && {
        // Between threads a buffer becomes plain bytes.
        dataKeys: new Secret({ ...dataKeys, keys: dataKeys.keys.map(key => Buffer.from(key)) }),
      }),
      carriers: new Secret([]),
    },
  } as Config;
}

try {
  tell({ kind: 'done', outcome: await carryOut(workerData as MaintenanceData) });
} catch (error) {
  const isExpected = [BackupProblem, PlaceProblem, DataKeyProblem].some(kind => error instanceof kind);
  if (!isExpected) throw error;
  tell({ kind: 'refusal', reason: (error as Error).message });
}

/** What every engine promises; see src/store/store.ts. An engine's test file calls this with a way to open it. */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import { createVault, type Vault } from '../../src/platform/vault.ts';
import { accountsContract } from './contract/accounts.ts';
import { carriersContract } from './contract/carriers.ts';
import { clusterContract } from './contract/cluster.ts';
import { filesContract } from './contract/files.ts';
import { formsContract } from './contract/forms.ts';
import { inboundContract } from './contract/inbound.ts';
import { messagesContract } from './contract/messages.ts';
import { nodesContract } from './contract/nodes.ts';
import { operatorContract } from './contract/operator.ts';
import { optOutsContract } from './contract/opt-outs.ts';
import { parkedContract } from './contract/parked.ts';
import { privacyContract } from './contract/privacy.ts';
import { queueContract } from './contract/queue.ts';
import { receiptsContract } from './contract/receipts.ts';
import { recentSendsContract } from './contract/recent-sends.ts';
import { registryContract } from './contract/registry.ts';
import { reportsContract } from './contract/reports.ts';
import { reservationsContract } from './contract/reservations.ts';
import { rollupsContract } from './contract/rollups.ts';
import { searchContract } from './contract/search.ts';
import { settleContract } from './contract/settle.ts';
import type { OpenStore, StoreUnderTest } from './contract/store-under-test.ts';
import { textsContract } from './contract/texts.ts';
import { upkeepContract } from './contract/upkeep.ts';
import { usageContract } from './contract/usage.ts';
import { webhooksContract } from './contract/webhooks.ts';

/**
 * With a data key and the one before it, in strict mode, in which nothing that was left unencrypted can be read. What is stored
 * as it is takes the same way without the encryption.
 */
export function storeContract(open: (t: TestContext, vault: () => Vault) => Promise<StoreUnderTest>): void {
  const keys = [randomBytes(32), randomBytes(32)];
  const encrypted: OpenStore = t =>
    open(t, () => Object.assign(createVault({ keys, isSealing: true }), { mode: 'strict' }));
  messagesContract(encrypted);
  recentSendsContract(encrypted);
  queueContract(encrypted);
  settleContract(encrypted);
  parkedContract(encrypted);
  receiptsContract(encrypted);
  inboundContract(encrypted);
  formsContract(encrypted);
  reservationsContract(encrypted);
  registryContract(encrypted);
  optOutsContract(encrypted);
  clusterContract(encrypted);
  upkeepContract(encrypted);
  textsContract(encrypted);
  privacyContract(encrypted);
  webhooksContract(encrypted);
  searchContract(encrypted);
  rollupsContract(encrypted);
  accountsContract(encrypted);
  reportsContract(encrypted);
  filesContract(encrypted);
  usageContract(encrypted);
  carriersContract(encrypted);
  nodesContract(encrypted);
  operatorContract(encrypted);
}

/** What is done in another way without a data key: recipients are compared and texts measured by the database. */
export function plainContract(open: OpenStore): void {
  messagesContract(open);
  searchContract(open);
  formsContract(open);
  optOutsContract(open);
  parkedContract(open);
}

/** What every engine promises; see src/store/store.ts. An engine's test file calls this with a way to open it. */
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
import { recentSendsContract } from './contract/recent-sends.ts';
import { registryContract } from './contract/registry.ts';
import { reportsContract } from './contract/reports.ts';
import { reservationsContract } from './contract/reservations.ts';
import { rollupsContract } from './contract/rollups.ts';
import { searchContract } from './contract/search.ts';
import { settleContract } from './contract/settle.ts';
import type { OpenStore } from './contract/store-under-test.ts';
import { textsContract } from './contract/texts.ts';
import { upkeepContract } from './contract/upkeep.ts';
import { usageContract } from './contract/usage.ts';
import { webhooksContract } from './contract/webhooks.ts';

export function storeContract(open: OpenStore): void {
  sealedContract(open);
  accountsContract(open);
  reportsContract(open);
  filesContract(open);
  usageContract(open);
  carriersContract(open);
  nodesContract(open);
  operatorContract(open);
}

/** Those parts that write or read what a data key seals; see src/store/sealed-tables.ts. */
export function sealedContract(open: OpenStore): void {
  messagesContract(open);
  recentSendsContract(open);
  queueContract(open);
  settleContract(open);
  parkedContract(open);
  inboundContract(open);
  formsContract(open);
  reservationsContract(open);
  registryContract(open);
  optOutsContract(open);
  clusterContract(open);
  upkeepContract(open);
  textsContract(open);
  privacyContract(open);
  webhooksContract(open);
  searchContract(open);
  rollupsContract(open);
}

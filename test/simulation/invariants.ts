/** What must be true of a world at rest. Each rule names itself in what it finds. */
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import type { MessageView } from '../../src/store/store.ts';
import type { Delivery, MessageTruth } from './ledger.ts';
import { recordName } from './polled-batches.ts';
import { ACCOUNTS, POLLER, type World } from './world.ts';

const DELIVERED = '10000';

export async function checkInvariants(world: World): Promise<void> {
  const fetched = new Map(ACCOUNTS.map(account => [account, world.clients.batches.fetched(account)]));
  for (const truth of world.ledger.messages.values()) {
    await checkMessage(world, truth, fetched.get(truth.account) ?? new Map());
  }
}

/** `fetched`: how often each record of its account was fetched. */
async function checkMessage(
  world: World,
  truth: MessageTruth,
  fetched: ReadonlyMap<string, number>,
): Promise<void> {
  const { store, ledger } = world;
  const { msgKey, account, told } = truth;
  const view = await store.messages.find(msgKey);
  if (!view) {
    if (told === 'accepted') ledger.violated('an accepted message is lost', msgKey);
    // What a carrier has turned away may still be withdrawn.
    if (truth.submits.some(({ told }) => told !== 'temporary'))
      ledger.violated('submitted and not kept', msgKey);
    return;
  }
  if (told === 'refused') ledger.violated('refused and kept', msgKey);
  const records = await store.reports.inquire({ account, msgKey, lastOnly: false, since: 0 });
  checkRecords(world, truth, records);
  for (const record of records) {
    checkOutcome(world, truth, view, record);
    checkHandedOver(world, truth, record, fetched);
  }
}

/** One record for each step tried, in order, and the last one says that it is. */
function checkRecords(
  { ledger }: World,
  { msgKey, flow }: MessageTruth,
  records: readonly ReportRecord[],
): void {
  const last = records.at(-1);
  if (!last) {
    ledger.violated('no record', msgKey);
    return;
  }
  const isInOrder = records.every(({ step }, index) => step === index);
  if (!isInOrder) ledger.violated('records are not one for each step', msgKey);
  for (const record of records) {
    const isEnd = record.step === flow.length - 1 || record.reportCode === DELIVERED;
    if (record.isLast !== isEnd)
      ledger.violated('the last record is not marked as such', `${msgKey}/${record.step}`);
    if (record !== last && isEnd) ledger.violated('a record after the last', `${msgKey}/${record.step}`);
  }
  if (!last.isLast) ledger.violated('the last record is missing', msgKey);
}

function checkOutcome({ ledger }: World, truth: MessageTruth, view: MessageView, record: ReportRecord): void {
  const { step, reportCode } = record;
  const name = `${truth.msgKey}/${step} ${reportCode}`;
  const deliveries = truth.deliveries.filter(({ submit }) => submit.step === step);
  const isLateKnown = view.history.some(entry => entry.event === 'lateDelivery' && entry.step === step);
  if (reportCode === DELIVERED && !deliveries.some(({ isDelivered }) => isDelivered)) {
    ledger.violated('reported as delivered and it was not', name);
  }
  if (reportCode !== DELIVERED && !isLateKnown && deliveries.some(isKnownToHaveArrived)) {
    ledger.violated('delivered, acknowledged and not told', name);
  }
}

/** It arrived, a node took the receipt, and the gateway had every means to know whose it is. */
function isKnownToHaveArrived({ submit, isDelivered, byReference, acknowledgedAt }: Delivery): boolean {
  if (!isDelivered || acknowledgedAt === undefined) return false;
  if (!byReference) return true;
  // An answer that died with its node took the reference along.
  return submit.refsToldAt !== undefined && (submit.isWritten || !submit.life.wasKilled);
}

function checkHandedOver(
  world: World,
  { account, msgKey }: MessageTruth,
  record: ReportRecord,
  fetchedOf: ReadonlyMap<string, number>,
): void {
  if (!record.isLast && world.profile.reportRecords === 'final') return;
  const fetched = fetchedOf.get(recordName(msgKey, record.serviceType)) ?? 0;
  const isPushed = world.receivers.taken.has(`${msgKey}-${record.step}`);
  const name = `${msgKey}/${record.step} of ${account}`;
  if (fetched === 0 && !isPushed) world.ledger.violated('a record was never handed over', name);
  if (fetched > 1) world.ledger.violated('a record is in two batches', name);
  if (account === POLLER && isPushed) world.ledger.violated('a record of a poller was pushed', name);
}

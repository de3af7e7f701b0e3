/** What must be true of a world at rest. Each rule names itself in what it finds. */
import { OPTED_OUT_CODE } from '../../src/domain/delivery/opt-out.ts';
import { CANCELLED } from '../../src/domain/reports/report-codes.ts';
import type { ReportRecord } from '../../src/domain/reports/report-record.ts';
import type { MessageView } from '../../src/store/store.ts';
import { ACCOUNTS, POLLER } from './accounts.ts';
import type { Delivery, MessageTruth } from './ledger.ts';
import { recordName } from './polled-batches.ts';
import type { World } from './world.ts';

const DELIVERED = '10000';
const NO_LONGER_VALID = '90003';
/** After these nothing else of the flow is tried. */
const ENDS: readonly string[] = [DELIVERED, CANCELLED, NO_LONGER_VALID];

export async function checkInvariants(world: World): Promise<void> {
  const fetched = new Map(ACCOUNTS.map(account => [account, world.clients.batches.fetched(account)]));
  for (const truth of world.ledger.messages.values()) {
    await checkMessage(world, truth, fetched.get(truth.account) ?? new Map());
  }
  await world.clients.keys.check({
    isKept: async msgKey => (await world.store.messages.find(msgKey)) !== undefined,
    mayBeTakenOut: msgKey => world.ledger.messages.get(msgKey)?.cancel !== 'no',
  });
  await world.people.check(POLLER);
}

/** `fetched`: how often each record of its account was fetched. */
async function checkMessage(
  world: World,
  truth: MessageTruth,
  fetched: ReadonlyMap<string, number>,
): Promise<void> {
  const { store, ledger } = world;
  const { msgKey, account, told, sendAt, cancel } = truth;
  const view = await store.messages.find(msgKey);
  if (!view && truth.isForgotten) return;
  if (!view) {
    // One that is cancelled before its time is taken out of its reservation; after a restore it may have been sent.
    if (sendAt !== undefined && cancel !== 'no') return;
    if (told === 'accepted') ledger.violated('an accepted message is lost', msgKey);
    // What a carrier has turned away may still be withdrawn.
    if (truth.submits.some(({ told, isForgotten }) => told !== 'temporary' && !isForgotten))
      ledger.violated('submitted and not kept', msgKey);
    return;
  }
  if (told === 'refused') ledger.violated('refused and kept', msgKey);
  const records = await store.reports.inquire({ account, msgKey, lastOnly: false, since: 0 });
  checkRecords(world, truth, records);
  if (cancel === 'done' && records.at(-1)?.reportCode !== CANCELLED)
    ledger.violated('cancelled and not reported so', msgKey);
  for (const record of records) {
    checkRefusal(world, truth, record);
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
    const isEnd = record.step === flow.length - 1 || ENDS.includes(record.reportCode);
    if (record.isLast !== isEnd)
      ledger.violated('the last record is not marked as such', `${msgKey}/${record.step}`);
    if (record !== last && isEnd) ledger.violated('a record after the last', `${msgKey}/${record.step}`);
  }
  if (!last.isLast) ledger.violated('the last record is missing', msgKey);
}

/** Why a step was not sent: somebody asked for it, and no carrier may have it. */
function checkRefusal(
  { ledger, clients }: World,
  truth: MessageTruth,
  { step, reportCode }: ReportRecord,
): void {
  const { msgKey, account, to, cancel, sendAt, submits } = truth;
  const name = `${msgKey}/${step} ${reportCode}`;
  if (reportCode === CANCELLED && cancel === 'no') ledger.violated('cancelled though nobody asked', name);
  if (reportCode === OPTED_OUT_CODE && !clients.recipients.mayHaveOptedOut(account, to))
    ledger.violated('ended for an opt-out that nobody asked for', name);
  if (reportCode === NO_LONGER_VALID && sendAt === undefined)
    ledger.violated('refused at a time that it did not have', name);
  const isEndedUnsent = reportCode === CANCELLED || reportCode === OPTED_OUT_CODE;
  const ofStep = submits.filter(submit => submit.step === step && !submit.isForgotten);
  if (isEndedUnsent && ofStep.some(({ told }) => told !== 'temporary'))
    ledger.violated('ended as not sent though a carrier may have it', name);
}

function checkOutcome({ ledger }: World, truth: MessageTruth, view: MessageView, record: ReportRecord): void {
  const { step, reportCode } = record;
  const name = `${truth.msgKey}/${step} ${reportCode}`;
  const isLateKnown = view.history.some(entry => entry.event === 'lateDelivery' && entry.step === step);
  if (reportCode === DELIVERED && !hasArrived(truth, step, ({ isDelivered }) => isDelivered)) {
    ledger.violated('reported as delivered and it was not', name);
  }
  if (reportCode !== DELIVERED && !isLateKnown && hasArrived(truth, step, isKnownToHaveArrived)) {
    ledger.violated('delivered, acknowledged and not told', name);
  }
}

/** Whether there are such deliveries for every part of one submit of the step. */
function hasArrived(truth: MessageTruth, step: number, isSuch: (delivery: Delivery) => boolean): boolean {
  const deliveries = truth.deliveries.filter(delivery => delivery.submit.step === step && isSuch(delivery));
  return truth.submits.some(submit => {
    const parts = deliveries.filter(delivery => delivery.submit === submit).map(({ part }) => part);
    return parts.includes(undefined) || new Set(parts).size === submit.parts;
  });
}

/** It arrived, a node took the receipt, and the gateway had every means to know whose it is. */
function isKnownToHaveArrived({ submit, part, isDelivered, acknowledgedAt }: Delivery): boolean {
  if (!isDelivered || acknowledgedAt === undefined || submit.isForgotten) return false;
  if (part === undefined) return true;
  // An answer that died with its node took the reference along.
  return submit.refsToldAt !== undefined && (submit.writtenAt !== undefined || !submit.life.wasKilled);
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

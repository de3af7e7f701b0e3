/**
 * Why a file must stay: it would be missing when a message that was accepted with it, or reserved, is sent. A file is named by
 * the flow with the words of a recipient filled in.
 */
import type { FileKey, MsgKey } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Reservation, ReservationState } from '../domain/reservation/reservation.ts';
import { holdsPlaceholders, shownStep } from '../domain/text/substitution.ts';
import type { FileRow, Store } from '../store/store.ts';

/** What tells the messages of one request apart is at the end of their keys. */
const RECIPIENT_DIGITS = 3;
/** Pending messages, and reservations, that are looked at before a file is deleted. */
const MOST_LOOKED_AT = 1000;
/** Lists of fifty recipients of one reservation. */
const MOST_LISTS = 200;
const LATER_SECONDS = 60;
const WAITING: readonly ReservationState[] = ['PENDING', 'PROCESSING', 'STOPPED', 'HELD'];

type Needing = Pick<Store, 'accounts' | 'messages' | 'reservations'>;

export async function neededBy(store: Needing, file: FileRow): Promise<Problem | undefined> {
  return (await neededByMessage(store, file)) ?? neededByReservation(store, file);
}

async function neededByMessage(store: Needing, { account, fileKey }: FileRow): Promise<Problem | undefined> {
  const open = await store.accounts.onTheWay(account, MOST_LOOKED_AT);
  if (open.length === MOST_LOOKED_AT) {
    const count = MOST_LOOKED_AT.toLocaleString('en');
    return notKnown(`"${account}" has ${count} pending messages: delete the file when they have ended`);
  }
  // The recipients of one request share its flow, and need not be looked at one by one if it has no placeholders.
  const withoutWords = new Set<string>();
  for (const msgKey of open) {
    const requestId = msgKey.slice(0, -RECIPIENT_DIGITS);
    if (withoutWords.has(requestId)) continue;
    const message = await store.messages.find(msgKey);
    // What cannot be read may name it.
    if (!message) return mayBeNeeded(`Message ${msgKey} cannot be read, and`);
    const { flow, words } = message;
    if (names(shownStep(flow, words), fileKey)) return neededByOne(msgKey);
    if (!holdsPlaceholders(flow)) withoutWords.add(requestId);
  }
  return undefined;
}

async function neededByReservation(
  store: Needing,
  { account, fileKey }: FileRow,
): Promise<Problem | undefined> {
  for (const status of WAITING) {
    const query = { account, status, sendFrom: undefined, before: undefined, limit: MOST_LOOKED_AT };
    const found = await store.reservations.list(query);
    if (found.length === MOST_LOOKED_AT) {
      const count = MOST_LOOKED_AT.toLocaleString('en');
      return notKnown(`"${account}" has ${count} pending reservations: delete the file when they have ended`);
    }
    for (const { resvKey } of found) {
      const whole = await store.reservations.find({ resvKey, account });
      if (whole && (await isNeededBy(store, whole, fileKey))) return mayBeNeeded(`Reservation ${resvKey}`);
    }
  }
  return undefined;
}

async function isNeededBy(
  store: Needing,
  { resvKey, source, expected, sent }: Reservation,
  fileKey: FileKey,
): Promise<boolean> {
  // What cannot be read may name it.
  if (source === undefined || names(source, fileKey)) return true;
  if (!holdsPlaceholders(source)) return false;
  const lists = await store.reservations.waitingLists(resvKey, MOST_LISTS + 1);
  // Too many to look at, or some that cannot be read: the file stays, rather than be missed.
  const waiting = lists.reduce((sum, { recipients }) => sum + recipients.length, 0);
  if (lists.length > MOST_LISTS || waiting < expected - sent) return true;
  return lists.some(({ recipients }) =>
    recipients.some(({ words }) => names(shownStep(source, words), fileKey)),
  );
}

function names(value: unknown, fileKey: FileKey): boolean {
  return JSON.stringify(value).includes(fileKey);
}

function mayBeNeeded(bySubject: string): Problem {
  return notKnown(`${bySubject} may need this file: delete the file when it has ended`);
}

/** Another answer may be given later. */
function notKnown(result: string): Problem {
  return new Problem('A300', result, { retryAfterSeconds: LATER_SECONDS });
}

function neededByOne(msgKey: MsgKey): Problem {
  return new Problem(
    'A300',
    `Message ${msgKey} is pending and needs this file: delete the file when it has ended`,
  );
}

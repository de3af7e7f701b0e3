/**
 * Why a file must stay: it would be missing when a message that was accepted with it, or reserved, is sent. A file is named by
 * the flow, or by the words of a recipient in a placeholder of the flow.
 */
import type { FileKey, MsgKey } from '../domain/ids.ts';
import { Problem } from '../domain/request/problem.ts';
import type { Reservation, ReservationState } from '../domain/reservation/reservation.ts';
import { holdsPlaceholders } from '../domain/text/substitution.ts';
import type { FileRow, Store } from '../store/store.ts';

/** What tells the messages of one request apart is at the end of their keys. */
const RECIPIENT_DIGITS = 3;
/** Pending messages, and reservations, that are looked at before a file is deleted. */
const MOST_LOOKED_AT = 1000;
/** Lists of fifty recipients of one reservation. */
const MOST_LISTS = 200;
const WAITING: readonly ReservationState[] = ['PENDING', 'PROCESSING', 'STOPPED', 'HELD'];

type Needing = Pick<Store, 'accounts' | 'messages' | 'reservations'>;

export async function neededBy(store: Needing, file: FileRow): Promise<Problem | undefined> {
  return (await neededByMessage(store, file)) ?? neededByReservation(store, file);
}

async function neededByMessage(store: Needing, { account, fileKey }: FileRow): Promise<Problem | undefined> {
  const open = await store.accounts.onTheWay(account, MOST_LOOKED_AT);
  if (open.length === MOST_LOOKED_AT) {
    const count = MOST_LOOKED_AT.toLocaleString('en');
    return new Problem(
      'A300',
      `"${account}" has ${count} messages on their way: delete the file when they are done`,
    );
  }
  // The recipients of one request share its flow, and need not be looked at one by one if it has no placeholders.
  const withoutWords = new Set<string>();
  for (const msgKey of open) {
    const requestId = msgKey.slice(0, -RECIPIENT_DIGITS);
    if (withoutWords.has(requestId)) continue;
    const message = await store.messages.find(msgKey);
    if (!message) continue;
    const { flow, words } = message;
    if (names(flow, fileKey) || names(words, fileKey)) return neededByOne(msgKey);
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
      return new Problem(
        'A300',
        `"${account}" has ${count} reservations that wait: delete the file when they are done`,
      );
    }
    for (const { resvKey } of found) {
      const whole = await store.reservations.find({ resvKey, account });
      if (whole && (await isNeededBy(store, whole, fileKey))) {
        return new Problem('A300', `Reservation ${resvKey} may need this file: delete it afterwards`);
      }
    }
  }
  return undefined;
}

async function isNeededBy(
  store: Needing,
  { resvKey, source }: Reservation,
  fileKey: FileKey,
): Promise<boolean> {
  // What cannot be read may name it.
  if (source === undefined || names(source, fileKey)) return true;
  if (!holdsPlaceholders(source)) return false;
  const lists = await store.reservations.waitingLists(resvKey, MOST_LISTS + 1);
  // Too many to look at: the file stays, rather than be missed.
  if (lists.length > MOST_LISTS) return true;
  return lists.some(({ recipients }) => recipients.some(({ words }) => names(words, fileKey)));
}

function names(value: unknown, fileKey: FileKey): boolean {
  return value !== undefined && JSON.stringify(value).includes(fileKey);
}

function neededByOne(msgKey: MsgKey): Problem {
  return new Problem('A300', `Message ${msgKey} is on its way and needs this file: delete it afterwards`);
}

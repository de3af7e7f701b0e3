/**
 * Message ids of the other side as references of the gateway.
 *
 * The id in a receipt is not always written as the answer to the submit wrote it: in capitals, without its leading zeros,
 * or in another base. Both go through here, so that equal messages have equal references.
 */

/** `tolerant`: case and leading zeros do not matter. `exact`: every character does. */
export type MessageIds = 'tolerant' | 'exact';

/**
 * How an id in a receipt becomes the one of the answer. `hexToDecimal`: receipts have in hexadecimal what answers have in
 * decimal. `decimalToHex`: the other way round.
 */
export const ID_FORMS = ['same', 'hexToDecimal', 'decimalToHex'] as const;
export type IdForm = (typeof ID_FORMS)[number];

/** `auto`: learned from the receipts themselves. */
export type ReceiptIds = IdForm | 'auto';

const HEXADECIMAL = /^[0-9a-f]{1,64}$/i;
const DECIMAL = /^[0-9]{1,64}$/;

/** The reference of a message id in an answer to a submit. */
export function submitRef(messageId: string, messageIds: MessageIds): string {
  return messageIds === 'exact' ? messageId : withoutZeros(messageId.toLowerCase());
}

/** The reference of a message id in a receipt. An id that is no number of its base is left as it is. */
export function receiptRef(messageId: string, messageIds: MessageIds, form: IdForm): string {
  return submitRef(converted(messageId, form), messageIds);
}

/** By BigInt: ids of 64 bits and more are common. */
function converted(messageId: string, form: IdForm): string {
  if (form === 'hexToDecimal' && HEXADECIMAL.test(messageId)) return BigInt(`0x${messageId}`).toString();
  if (form === 'decimalToHex' && DECIMAL.test(messageId)) return BigInt(messageId).toString(16);
  return messageId;
}

/** An id of nothing but zeros keeps one. */
function withoutZeros(messageId: string): string {
  let start = 0;
  while (start < messageId.length - 1 && messageId.charCodeAt(start) === 0x30) start++;
  return start === 0 ? messageId : messageId.slice(start);
}

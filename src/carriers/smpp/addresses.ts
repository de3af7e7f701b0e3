/** Type of number and numbering plan of a sender and a recipient; what bongsu.yaml sets wins over these rules. */
import type { Address } from './pdu.ts';

const TON = { international: 1, national: 2, networkSpecific: 3, alphanumeric: 5 } as const;
const NPI = { unknown: 0, isdn: 1 } as const;

/** Of an address that is a word, such as our text sender ids. */
const LONGEST_WORD = 11;
/** Service numbers of a network, `15881234` not among them. */
const LONGEST_SHORT_CODE = 6;

export interface Numbering {
  readonly ton: number | undefined;
  readonly npi: number | undefined;
}

export function sourceAddress(from: string, { ton, npi }: Numbering): Address {
  const ruled = sourceRule(from);
  return { ton: ton ?? ruled.ton, npi: npi ?? ruled.npi, digits: ruled.digits };
}

export function destinationAddress(to: string, { ton, npi }: Numbering): Address {
  const ruled = numberRule(to);
  return { ton: ton ?? ruled.ton, npi: npi ?? ruled.npi, digits: ruled.digits };
}

function sourceRule(from: string): Address {
  if (hasLetter(from)) return { ton: TON.alphanumeric, npi: NPI.unknown, digits: from };
  if (from.length <= LONGEST_SHORT_CODE) return { ton: TON.networkSpecific, npi: NPI.unknown, digits: from };
  return numberRule(from);
}

/** International numbers travel without their plus sign. */
function numberRule(number: string): Address {
  return number.startsWith('+')
    ? { ton: TON.international, npi: NPI.isdn, digits: number.slice(1) }
    : { ton: TON.national, npi: NPI.isdn, digits: number };
}

function hasLetter(from: string): boolean {
  for (let index = 0; index < from.length; index++) {
    const unit = from.charCodeAt(index);
    if (unit !== 0x2b && (unit < 0x30 || unit > 0x39)) return true;
  }
  return false;
}

/** The number in `+…` form where its type says so. */
export function numberOf({ ton, digits }: Address): string {
  return ton === TON.international && !digits.startsWith('+') ? `+${digits}` : digits;
}

/** Whether an address can be that of a handset: neither a word nor a short code. */
export function isHandset({ ton, digits }: Address): boolean {
  return ton !== TON.alphanumeric && !hasLetter(digits) && digits.length > LONGEST_SHORT_CODE;
}

/** Whether an address is left out, or some of its digits are (`1415***0123`, `0101234XXXX`), or it is a hash. */
export function isHidden({ digits }: Address): boolean {
  if (digits.length > LONGEST_WORD && hasLetter(digits)) return true;
  return digits === '' || (/^\+?[\d*#xX]+$/.test(digits) && /\d/.test(digits) && /[*#xX]/.test(digits));
}

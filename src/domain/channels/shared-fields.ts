/** Fields that several channels share, each with the result code of the contract's table. */
import { orNumber, parsed, text } from '../request/field-kinds.ts';
import { parseDomesticNumber, parseSenderNumber } from '../request/phone-number.ts';

export const from = parsed({
  code: 'A302',
  parse: parseSenderNumber,
  mustBe: 'a sender number of 3 to 15 digits',
  description: 'Sender number, digits only.',
});

export const domesticTo = parsed({
  code: 'A306',
  parse: parseDomesticNumber,
  mustBe: 'a domestic number such as 01012345678',
  description: 'Recipient number. Hyphens are ignored; +82 is read as 0.',
});

export const ref = text({
  code: 'A305',
  max: 200,
  unit: 'characters',
  description: 'Reference of your own; comes back in the answer and in the report.',
});

export const originCID = parsed({
  code: 'A300',
  parse: value => (/^\d{1,9}$/.test(value) ? value : undefined),
  mustBe: 'at most 9 digits',
  description: 'Identification code of the first sending business, at most 9 digits.',
});

/** Seconds; clients send it as a string or as a number, and 0 for none. Zeros in front are left out: 060 is 60. */
export const ttl = orNumber(
  parsed({
    code: 'A304',
    parse: value => (/^\d{1,7}$/.test(value) ? String(Number(value)) : undefined),
    mustBe: 'a number of seconds',
    description:
      'How long delivery may take, in seconds, from the moment that the step begins: its deadline, and the validity period for SMPP carriers. It can only shorten the time that the gateway waits.',
  }),
);

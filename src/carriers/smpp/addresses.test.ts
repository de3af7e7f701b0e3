import assert from 'node:assert/strict';
import test from 'node:test';
import { destinationAddress, sourceAddress } from './addresses.ts';

const BY_RULE = { ton: undefined, npi: undefined };

const SOURCES: [string, string, number, number, string][] = [
  ['a word', 'Bongsu', 5, 0, 'Bongsu'],
  ['a short code', '1588', 3, 0, '1588'],
  ['an international number', '+821012345678', 1, 1, '821012345678'],
  ['a national number', '01012345678', 2, 1, '01012345678'],
];
for (const [title, from, ton, npi, digits] of SOURCES) {
  test(`a sender that is ${title} is TON ${ton}, NPI ${npi}`, () => {
    assert.deepEqual(sourceAddress(from, BY_RULE), { ton, npi, digits });
  });
}

test('a recipient is international or national', () => {
  assert.deepEqual(destinationAddress('+14155550123', BY_RULE), { ton: 1, npi: 1, digits: '14155550123' });
  assert.deepEqual(destinationAddress('01012345678', BY_RULE), { ton: 2, npi: 1, digits: '01012345678' });
});

test('what is configured wins', () => {
  assert.deepEqual(sourceAddress('Bongsu', { ton: 0, npi: 8 }), { ton: 0, npi: 8, digits: 'Bongsu' });
  assert.deepEqual(destinationAddress('+14155550123', { ton: 0, npi: undefined }), {
    ton: 0,
    npi: 1,
    digits: '14155550123',
  });
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { RESULT_CODES } from './result-codes.ts';

// The specification's Errors table: these texts are not ours to change.
const SPECIFIED = {
  A000: 'Success',
  A100: 'Invalid authentication information',
  A001: 'Expired token',
  A010: 'Cannot parse JSON',
  A020: 'Rate limit exceeded',
  A802: 'No permission to Pull API',
  A805: 'Invalid Report ID(Pull API)',
  A999: 'Unknown error',
} as const;

for (const [code, text] of Object.entries(SPECIFIED)) {
  test(`${code} keeps the text of the specification`, () => {
    assert.equal(RESULT_CODES[code as keyof typeof SPECIFIED].text, text);
  });
}

test('every status is one that all public clients understand', () => {
  const understood = [200, 400, 401, 403, 404, 415, 429, 500, 503];
  for (const [code, { status }] of Object.entries(RESULT_CODES)) assert.ok(understood.includes(status), code);
});

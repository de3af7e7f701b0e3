import assert from 'node:assert/strict';
import test from 'node:test';
import { shownSetAside } from './masking.ts';

test('numbers in the words of a carrier are masked, and nothing that is no number', () => {
  const shown = (event: string) => shownSetAside({ at: 1, reason: '', event }).event;
  for (const [text, expected] of [
    ['{"to":"01012345678","at":1772411400000}', '{"to":"010****5678","at":1772411400000}'],
    ['invalid destination 010-1234-5678.', 'invalid destination 010****5678.'],
    ['number:01012345678,', 'number:010****5678,'],
    ['sent to +821012345678 at 10:30', 'sent to +82****5678 at 10:30'],
    ['06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000-0-1', '06C3Q8ZD9GYYRC3W1V5N2X4K7M0PT000-0-1'],
    ['HTTP 503 after 1200 ms from 192.168.100.200:8080', 'HTTP 503 after 1200 ms from 192.168.100.200:8080'],
    ['2026-03-02T09:30:00', '2026-03-02T09:30:00'],
  ] as const) {
    assert.equal(shown(text), expected);
  }
});

import assert from 'node:assert/strict';
import test from 'node:test';
import { type AddressRange, isWithin, parseAddressRange } from './addresses.ts';

function ranges(...texts: readonly string[]): AddressRange[] {
  return texts.map(text => {
    const range = parseAddressRange(text);
    assert.ok(typeof range === 'object', `${text} ${range}`);
    return range;
  });
}

const WITHIN: readonly (readonly [range: string, inside: readonly string[], outside: readonly string[]])[] = [
  ['192.0.2.1', ['192.0.2.1', '::ffff:192.0.2.1', '::FFFF:c000:201'], ['192.0.2.2', '::192.0.2.1', '']],
  ['192.0.2.0/24', ['192.0.2.0', '192.0.2.255'], ['192.0.1.255', '192.0.3.0', '192.0.2.256', '192.0.2']],
  ['192.0.2.128/25', ['192.0.2.128'], ['192.0.2.127', '192.0.2.010']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255', '::ffff:1.2.3.4'], ['::1', '2001:db8::1', 'localhost']],
  ['::/0', ['::', '::1', '2001:db8::1'], ['1.2.3.4', '::ffff:1.2.3.4']],
  ['2001:db8::/32', ['2001:db8::', '2001:DB8:ffff::1', '2001:db8:1:2:3:4:5:6'], ['2001:db9::', '2001:db8']],
  ['2001:db8::1', ['2001:db8:0:0:0:0:0:1', '2001:db8::0.0.0.1'], ['2001:db8::2', '2001:db8::1::']],
  ['::ffff:192.0.2.0/120', ['192.0.2.7'], ['192.0.3.7', '::ffff:0:192.0.2.7']],
  ['fe80::/10', ['fe80::1%eth0'], ['fec0::1']],
  ['64:ff9b::192.0.2.0/120', ['64:ff9b::192.0.2.9'], ['192.0.2.9']],
];

for (const [range, inside, outside] of WITHIN) {
  test(`${range} holds ${inside.join(', ')} and not ${outside.join(', ')}`, () => {
    const list = ranges('203.0.113.9', range);
    for (const address of inside) assert.equal(isWithin(list, address), true, address);
    for (const address of outside) assert.equal(isWithin(list, address), false, address);
  });
}

const REFUSED: readonly (readonly [text: string, why: RegExp])[] = [
  ['', /^is not an IPv4 or IPv6 address or block/],
  ['shop.example', /is not an IPv4/],
  ['192.0.2', /is not an IPv4/],
  ['192.0.2.256', /is not an IPv4/],
  ['192.0.2.01', /is not an IPv4/],
  ['192.0.2.1-9', /is not an IPv4/],
  ['192.0.2.0/24/24', /is not an IPv4/],
  ['2001:db8', /is not an IPv4/],
  ['2001::db8::', /is not an IPv4/],
  ['1:2:3:4:5:6:7:8:9', /is not an IPv4/],
  ['1:2:3:4:5:6:7::8', /is not an IPv4/],
  ['::12345', /is not an IPv4/],
  ['::1.2.3.4:5', /is not an IPv4/],
  ['fe80::1%eth0', /is not an IPv4/],
  ['192.0.2.0/33', /^has a prefix that is not from 0 to 32/],
  ['192.0.2.0/', /^has a prefix/],
  ['192.0.2.0/-1', /^has a prefix/],
  ['192.0.2.0/255.255.255.0', /^has a prefix/],
  ['2001:db8::/129', /^has a prefix that is not from 0 to 128/],
  ['::ffff:192.0.2.0/24', /^has a prefix that is not from 96 to 128/],
  ['192.0.2.1/24', /^has bits after its prefix of 24/],
  ['2001:db8::1/64', /^has bits after its prefix of 64/],
];

test('what is no address or block is refused, and why', () => {
  for (const [text, why] of REFUSED) {
    const range = parseAddressRange(text);
    assert.ok(typeof range === 'string', text);
    assert.match(range, why, text);
  }
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkPrefix, networkSite } from './network.ts';

test('the network of an IPv6 address is its first half, in any notation', () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((number) => number.toString(16));
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const compressed = new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1);
      expect(networkPrefix(compressed)).toBe(groups.slice(0, 4).join(':'));
      expect(networkPrefix(groups.join(':').toUpperCase())).toBe(groups.slice(0, 4).join(':'));
    }),
  );
});

test('the network of an IPv4 address is the address, also in IPv4-mapped form', () => {
  expect(networkPrefix('203.0.113.9')).toBe('203.0.113.9');
  expect(networkPrefix('::ffff:203.0.113.9')).toBe('203.0.113.9');
  expect(networkPrefix('')).toBe('');
});

test('the site of an IPv6 network is its /48, that of an IPv4 address the address', () => {
  expect(networkSite('2001:db8:7:9')).toBe('2001:db8:7');
  expect(networkSite('203.0.113.9')).toBe('203.0.113.9');
});

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { databaseName, labelProblem, randomLabel, reservedLabels } from './labels.ts';

const noRings = new Set<string>();
const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));

test('a random label has eight characters, begins with a letter and is not reserved', () => {
  for (let round = 0; round < 200; round += 1) {
    const random = randomLabel();
    expect(random).toMatch(/^[a-z][a-z0-9]{7}$/);
    expect(labelProblem(random, noRings)).toBeUndefined();
  }
});

test('a valid DNS label is allowed unless it is reserved', () => {
  fc.assert(fc.property(label, (text) => labelProblem(text, noRings) === undefined || reservedLabels.has(text)));
});

test.each(['', '-a', 'a-', 'a.b', 'a_b', 'Acme', 'ä', 'a b', 'xn--abc', 'a'.repeat(64), 'a\n'])(
  '%j is not a valid label',
  (text) => {
    expect(labelProblem(text, noRings)).toMatch(/^Use lower-case/);
  },
);

test.each(['www', 'api', 'admin', 'graphql', 'staging', 'signin', 'secure', 'billing', 'console', 'support', 'edge'])(
  '%s is reserved',
  (text) => {
    expect(labelProblem(text, noRings)).toBe(`${text} is reserved.`);
  },
);

test('the hostname segment of a ring is reserved', () => {
  expect(labelProblem('beta-2', new Set(['beta-2']))).toBe('beta-2 is reserved.');
});

test('a database name is tenant<id> up to 57 characters', () => {
  expect(databaseName('acme')).toBe('tenantacme');
  expect(databaseName('a'.repeat(57))).toBe(`tenant${'a'.repeat(57)}`);
});

test('the database name of a longer id has 48 characters of it and eight digits of its SHA-256', () => {
  expect(databaseName('a'.repeat(58))).toBe(`tenant${'a'.repeat(48)}_d5c039b7`);
});

test('different ids have different database names within the limit of PostgreSQL', () => {
  fc.assert(
    fc.property(label, label, (one, other) => {
      expect(databaseName(one).length).toBeLessThanOrEqual(63);
      return one === other || databaseName(one) !== databaseName(other);
    }),
  );
});

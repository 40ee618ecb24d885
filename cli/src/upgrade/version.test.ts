import { array, assert, constantFrom, nat, option, property, stringMatching, tuple } from 'fast-check';
import { compare, valid } from 'semver';
import { expect, test } from 'vitest';
import { compareVersions, isVersion } from './version.ts';

const suffix = array(constantFrom('0', '1', '2', '10', 'alpha', 'beta', 'rc', 'a-b', '1a'), {
  minLength: 1,
  maxLength: 3,
});
const version = tuple(nat(3), nat(12), nat(3), option(suffix, { nil: undefined })).map(
  ([major, minor, patch, parts]) => `${major}.${minor}.${patch}${parts ? `-${parts.join('.')}` : ''}`,
);

test('versions are ordered as Semantic Versioning demands', () => {
  assert(
    property(version, version, (one, other) => {
      expect(Math.sign(compareVersions(one, other))).toBe(compare(one, other));
    }),
    { numRuns: 2_000 },
  );
});

test('what is taken for a version is one', () => {
  assert(
    property(stringMatching(/^[0-9.v-]{0,3}[0-9]\.[0-9]{1,2}\.[0-9a-z.-]{1,5}$/), (text) => {
      if (isVersion(text)) expect(valid(text.replace(/-.*/, ''))).not.toBeNull();
    }),
  );
  for (const text of [
    '1.0',
    'v1.0.0',
    '01.0.0',
    '1.0.0-',
    '1.0.0-a..b',
    '1.0.0+5',
    '1.0.0 ',
    '1.0.0\n',
    7,
    undefined,
  ]) {
    expect(isVersion(text), String(text)).toBe(false);
  }
});

import { expect, test } from 'vitest';
import { inlineSpreads } from './inline-spreads.ts';

test('a literal that is spread where it is written is found, with its line', () => {
  expect(inlineSpreads('a.ts', 'return {\n  ...{ id, name },\n};')).toEqual(['a.ts:2: ...{ id, name },']);
  expect(inlineSpreads('a.tsx', '<Row {...{ id, name }} />')).toHaveLength(1);
  expect(inlineSpreads('a.ts', 'return { ...(one ? { id } : {}), ...other };')).toEqual([]);
});

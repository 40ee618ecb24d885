import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../run.ts';
import { parts, promises } from './parts.ts';

test('every part of the proof and every promise names tests that exist', () => {
  const named = [...parts, ...promises].flatMap(({ tests }) => tests);
  expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  expect(promises.filter(({ tests }) => tests.length === 0)).toEqual([]);
  expect(new Set(parts.map(({ name }) => name)).size).toBe(parts.length);
});

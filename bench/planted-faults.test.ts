import { join } from 'node:path';
import { expect, test } from 'vitest';
import { staleFaults } from './planted-faults.ts';

test('every fault can be planted: its text is in the code exactly once', async () => {
  expect(await staleFaults(join(import.meta.dirname, '..'))).toEqual([]);
});

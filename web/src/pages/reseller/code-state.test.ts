import { expect, test } from 'vitest';
import { codeState } from './code-state.ts';

const now = new Date('2026-03-01T12:00:00Z');
const state = (fields: Partial<Parameters<typeof codeState>[0]>) =>
  codeState({ expires_at: null, max_uses: null, uses: 3, ...fields }, now).label;

test('a code is open until it has ended or is used up', () => {
  expect(state({})).toBe('Open');
  expect(state({ expires_at: '2026-03-01T12:00:01Z', max_uses: 4 })).toBe('Open');
  expect(state({ expires_at: '2026-03-01T12:00:00Z' })).toBe('Ended');
  expect(state({ max_uses: 3 })).toBe('Used up');
});

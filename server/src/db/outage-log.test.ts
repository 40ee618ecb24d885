import type { Log } from '@chowk/kit/kernel';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silent } from '../../testing/silent-log.ts';
import { fail } from '../errors.ts';
import { summarizeOutages } from './outage-log.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function openLog() {
  const lines: string[] = [];
  const record = (level: string) => (_: object, message: string) => void lines.push(`${level}: ${message}`);
  const log: Log = { ...silent, warn: record('warn'), error: record('error') };
  return { lines, log: summarizeOutages(log) };
}

const outage = { err: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) };

test('an outage is logged once, and then how often it was repeated', () => {
  const { lines, log } = openLog();
  for (let count = 0; count < 500; count += 1) log.error(outage, 'The database cannot be reached.');
  log.warn({ err: fail('db.busy') }, 'could not sweep');
  expect(lines).toEqual(['error: The database cannot be reached.', 'warn: could not sweep']);
  vi.advanceTimersByTime(10_000);
  expect(lines.slice(2)).toEqual(['error: The database cannot be reached. (499 more times in 10 seconds)']);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(3);
  vi.advanceTimersByTime(60_000);
  log.error(outage, 'The database cannot be reached.');
  expect(lines.at(-1)).toBe('error: The database cannot be reached.');
});

test('every other error has its own line', () => {
  const { lines, log } = openLog();
  for (const err of [new Error('a bug'), new Error('a bug'), fail('http.internal'), undefined, undefined]) {
    log.error({ err }, 'An internal error occurred.');
  }
  expect(lines).toHaveLength(5);
});

test('a long outage takes few short lines, which name the tenants and the server', () => {
  const lines: string[] = [];
  const record = (details: object, message: string) => void lines.push(JSON.stringify({ ...details, message }));
  const log = summarizeOutages({ ...silent, warn: record, error: record });
  const err = Object.assign(new Error('connect ECONNREFUSED'), {
    code: 'ECONNREFUSED',
    server: '10.0.0.7:5432',
    database: 'tenantacme',
  });
  for (let second = 0; second < 1_800; second += 1) {
    log.error({ err, tenant: second % 2 ? 'acme' : 'bazaar' }, 'The database cannot be reached.');
    log.warn({ err, tenant: 'acme' }, `a task failed; next attempt in ${second} seconds`);
    log.warn({ err: { ...err, message: err.message, queue: 'mail' } }, 'the job queue reports an error');
    vi.advanceTimersByTime(1_000);
  }
  expect(lines.length).toBeLessThan(50);
  expect(lines.join('').length).toBeLessThan(10_000);
  expect(lines[0]).toBe(
    '{"err":{"message":"connect ECONNREFUSED","code":"ECONNREFUSED","server":"10.0.0.7:5432","database":"tenantacme"},"tenant":"bazaar","message":"The database cannot be reached."}',
  );
  expect(lines.some((line) => line.includes('"tenants":["acme","bazaar"]'))).toBe(true);
});

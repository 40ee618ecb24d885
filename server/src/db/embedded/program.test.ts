import { expect, test } from 'vitest';
import { findFailureReason } from './program.ts';

test('the reason is the last fatal line with its details', () => {
  const log = `
2026-01-01 00:00:00.000 UTC [7] LOG:  starting PostgreSQL
2026-01-01 00:00:00.000 UTC [7] FATAL:  database files are incompatible with server
2026-01-01 00:00:00.000 UTC [7] DETAIL:  The data directory was initialized by PostgreSQL version 17.
2026-01-01 00:00:00.000 UTC [7] LOG:  database system is shut down
`;
  expect(findFailureReason(log)).toBe(
    'database files are incompatible with server The data directory was initialized by PostgreSQL version 17.',
  );
});

test('lines of the process itself are preferred over those of other processes in the same log', () => {
  const log = `
2026-01-01 00:00:00.000 UTC [7] FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use
2026-01-01 00:00:00.000 UTC [5] FATAL:  terminating connection due to unexpected postmaster exit
`;
  expect(findFailureReason(log, 7)).toBe('pre-existing shared memory block (key 1, ID 2) is still in use');
  expect(findFailureReason(log, 9)).toBe('terminating connection due to unexpected postmaster exit');
});

test('the reason of a failed initdb is found', () => {
  const log =
    'initdb: error: could not look up effective user ID 77: user does not exist\ninitdb: removing data directory\n';
  expect(findFailureReason(log)).toBe('could not look up effective user ID 77: user does not exist');
});

test('without a fatal line the reason is the last line', () => {
  expect(findFailureReason('postgres: cannot open shared object file\n')).toBe(
    'postgres: cannot open shared object file',
  );
  expect(findFailureReason('')).toBe('it wrote nothing to its log');
});

import { expect, test } from 'vitest';
import { findComplaint } from './process.ts';

test('the complaint is the last fatal line with its explanation', () => {
  const log = `
2026-01-01 00:00:00.000 UTC [7] LOG:  starting PostgreSQL
2026-01-01 00:00:00.000 UTC [7] FATAL:  database files are incompatible with server
2026-01-01 00:00:00.000 UTC [7] DETAIL:  The data directory was initialized by PostgreSQL version 17.
2026-01-01 00:00:00.000 UTC [7] LOG:  database system is shut down
`;
  expect(findComplaint(log)).toBe(
    'database files are incompatible with server The data directory was initialized by PostgreSQL version 17.',
  );
});

test('what the process itself said goes before what others wrote to the same log', () => {
  const log = `
2026-01-01 00:00:00.000 UTC [7] FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use
2026-01-01 00:00:00.000 UTC [5] FATAL:  terminating connection due to unexpected postmaster exit
`;
  expect(findComplaint(log, 7)).toBe('pre-existing shared memory block (key 1, ID 2) is still in use');
  expect(findComplaint(log, 9)).toBe('terminating connection due to unexpected postmaster exit');
});

test('the complaint of initdb is found too', () => {
  const log =
    'initdb: error: could not look up effective user ID 77: user does not exist\ninitdb: removing data directory\n';
  expect(findComplaint(log)).toBe('could not look up effective user ID 77: user does not exist');
});

test('without a fatal line the last one must do', () => {
  expect(findComplaint('postgres: cannot open shared object file\n')).toBe('postgres: cannot open shared object file');
  expect(findComplaint('')).toBe('it said nothing');
});

import type { Failure } from '@chowk/kit';
import pg from 'pg';
import { fail } from '../errors.ts';

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
/** A value that no column can hold: text too long or with NUL, a number or a date out of range, JSON too deep. */
const unstorable = new Set(['22001', '22003', '22007', '22008', '22009', '22021', '22P02', '22P05', '54000', '54001']);
/** What `pg` throws without a code when a connection cannot be made or is lost. */
const lost = /^(timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error)/;

/** What a caller is told when the database is to blame, or `undefined` when it is not. */
export function databaseFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const extras = { cause: error };
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    // Connection lost, server starting or stopping, too many connections, a database that is being replaced.
    if (/^(08|57P0|53300|3D000)/.test(code)) return fail('db.unavailable', {}, extras);
    // Its own limit, or the one for locks where it has none.
    if (code === '57014' || code === '55P03') return fail('db.too_slow', {}, extras);
    if (unstorable.has(code)) return fail('http.unstorable', {}, extras);
    return undefined;
  }
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // Of a unix socket that is not there; a missing file is no fault of the database.
  const noSocket = code === 'ENOENT' && syscall === 'connect';
  const isLost = noSocket || unreachable.has(code) || lost.test(error.message);
  return isLost ? fail('db.unavailable', {}, extras) : undefined;
}

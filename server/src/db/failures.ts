import type { Failure } from '@chowk/kit/kernel';
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
/** Values that cannot be stored: text too long or with NUL, a number or a date out of range, JSON too deep. */
const unstorable = new Set(['22001', '22003', '22007', '22008', '22009', '22021', '22P02', '22P05', '54000', '54001']);
/** Errors of `pg` without a code when a connection fails. */
const lostConnection =
  /^(timeout expired|Connection terminated|Query read timeout|Client has encountered a connection error)/;

/** The failure to report to the client, or `undefined` if the database is not the cause. */
export function databaseFailure(error: unknown): Failure | undefined {
  if (!(error instanceof Error)) return undefined;
  const extras = { cause: error };
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    // Disk full, out of memory, failed disk.
    if (/^(53[12]00|58030)/.test(code)) return fail('db.out_of_resources', {}, extras);
    // Connection lost, server starting or stopping, too many connections, database missing, closed or read-only.
    if (/^(08|57P0|53300|3D000|25006)/.test(code)) return fail('db.unavailable', {}, extras);
    // Statement timeout or lock timeout.
    if (code === '57014' || code === '55P03') return fail('db.too_slow', {}, extras);
    if (unstorable.has(code)) return fail('http.unstorable', {}, extras);
    return undefined;
  }
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  // A missing Unix socket; any other missing file is not an error of the database.
  const isSocketMissing = code === 'ENOENT' && syscall === 'connect';
  const isLost = isSocketMissing || unreachable.has(code) || lostConnection.test(error.message);
  return isLost ? fail('db.unavailable', {}, extras) : undefined;
}

import { Failure, type Log } from '@chowk/kit/kernel';
import { databaseFailure } from './failures.ts';

const intervalSeconds = 10;

/**
 * During an outage every request and every job fails for the same reason. Logs the first of these lines and, after an
 * interval, how many followed.
 */
export function summarizeOutages(log: Log): Log {
  const repeated = new Map<string, number>();
  const write = (level: 'warn' | 'error') => (details: { readonly err?: unknown }, message: string) => {
    const line = `${level} ${message}`;
    const count = repeated.get(line);
    if (!isOutage(details.err)) log[level](details, message);
    else if (count !== undefined) repeated.set(line, count + 1);
    else {
      log[level](details, message);
      repeated.set(line, 0);
      setTimeout(() => summarize(level, message, line), intervalSeconds * 1_000).unref();
    }
  };
  const summarize = (level: 'warn' | 'error', message: string, line: string) => {
    const count = repeated.get(line) ?? 0;
    repeated.delete(line);
    if (count > 0) log[level]({ repeated: count }, `${message} (${count} more times in ${intervalSeconds} seconds)`);
  };
  return {
    debug: (details, message) => log.debug(details, message),
    info: (details, message) => log.info(details, message),
    warn: write('warn'),
    error: write('error'),
  };
}

function isOutage(error: unknown): boolean {
  const failure = error instanceof Failure ? error : databaseFailure(error);
  return failure?.status === 503;
}

import { Failure, type Log } from '@chowk/kit/kernel';
import { databaseFailure } from './failures.ts';

type Level = 'warn' | 'error';

interface Details {
  readonly err?: unknown;
  readonly tenant?: unknown;
}

/** The lines that followed the first one of an outage. */
interface Repetition {
  count: number;
  readonly tenants: Set<string>;
  /** Until the next summary. Grows while the outage lasts. */
  seconds: number;
}

const firstSummarySeconds = 10;
const maxSummarySeconds = 300;
const maxTenants = 10;

/**
 * During an outage every request and every job fails for the same reason. Logs the first of these lines, without its stack, and
 * from time to time how many followed and for which tenants.
 */
export function summarizeOutages(log: Log): Log {
  const repetitions = new Map<string, Repetition>();
  const write = (level: Level) => (details: Details, message: string) => {
    if (!isOutage(details.err)) return log[level](details, message);
    // Such as the seconds until the next attempt.
    const line = `${level} ${message.replace(/\d+/g, '#')}`;
    const repetition = repetitions.get(line);
    if (repetition) return count(repetition, details);
    log[level]({ ...details, err: withoutStack(details.err) }, message);
    repetitions.set(line, { count: 0, tenants: new Set(), seconds: firstSummarySeconds });
    summarizeLater(level, message, line);
  };
  const summarizeLater = (level: Level, message: string, line: string) => {
    const { seconds = firstSummarySeconds } = repetitions.get(line) ?? {};
    setTimeout(() => summarize(level, message, line), seconds * 1_000).unref();
  };
  const summarize = (level: Level, message: string, line: string) => {
    const repetition = repetitions.get(line);
    if (!repetition?.count) return void repetitions.delete(line);
    const { count: repeated, seconds, tenants } = repetition;
    log[level]({ repeated, tenants: [...tenants] }, `${message} (${repeated} more times in ${seconds} seconds)`);
    repetition.count = 0;
    repetition.tenants.clear();
    repetition.seconds = Math.min(seconds * 2, maxSummarySeconds);
    summarizeLater(level, message, line);
  };
  return {
    debug: (details, message) => log.debug(details, message),
    info: (details, message) => log.info(details, message),
    warn: write('warn'),
    error: write('error'),
  };
}

function count(repetition: Repetition, { tenant }: Details): void {
  repetition.count += 1;
  if (typeof tenant === 'string' && repetition.tenants.size < maxTenants) repetition.tenants.add(tenant);
}

/** What an operator needs: the reason, and the server and the database that it is about. */
function withoutStack(error: unknown): object {
  const cause = error instanceof Failure ? (error.extras.cause ?? error) : error;
  const { message, code, server, database } = cause as {
    [key in 'message' | 'code' | 'server' | 'database']?: unknown;
  };
  return { message: message || code, code, server, database };
}

function isOutage(error: unknown): boolean {
  const failure = error instanceof Failure ? error : databaseFailure(asError(error));
  return failure?.status === 503;
}

/** pg-boss reports errors as plain objects. */
function asError(error: unknown): unknown {
  const isPlain = typeof error === 'object' && error !== null && !(error instanceof Error) && 'message' in error;
  return isPlain ? Object.assign(new Error(String(error.message)), error) : error;
}

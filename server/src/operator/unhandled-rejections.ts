import type { Log } from '@chowk/kit/kernel';

/** A failure that no code handles is logged: it must not end the process for the requests of all tenants. */
export function logUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'a promise failed and nothing handled it'));
}

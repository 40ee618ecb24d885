import type { Log } from '@chowk/kit/kernel';
import { onTestFailed } from 'vitest';
import { silent } from './silent-log.ts';

/** A log that keeps errors, so that a failing test can show the cause of a 500. */
export function recordErrors(): { readonly log: Log; show(requestId: string): void } {
  const texts = new Map<string, string>();
  const log: Log = {
    ...silent,
    error(details, message) {
      const { err, request_id } = details as { err?: unknown; request_id?: string };
      if (request_id === undefined) return;
      texts.set(request_id, `${message}\n${err instanceof Error ? err.stack : String(err)}`);
    },
  };
  return {
    log,
    /** Prints the error that was logged for a request: when the running test fails, or at once outside of a test. */
    show(requestId) {
      const text = texts.get(requestId);
      texts.delete(requestId);
      // biome-ignore lint/suspicious/noConsole: vitest adds the name of the test
      const print = () => console.error(text);
      try {
        onTestFailed(print);
      } catch {
        print();
      }
    },
  };
}

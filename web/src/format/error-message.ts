import { ChowkError, NetworkError, TimeoutError } from '@chowk/client';

/** What is wrong, for people. */
export function errorMessage(error: unknown): string {
  if (error instanceof NetworkError) return 'The platform cannot be reached. Check your connection and try again.';
  if (error instanceof TimeoutError) return 'The platform did not respond in time. Try again.';
  if (error instanceof ChowkError && error.retryAfter !== undefined && error.status === 429) {
    return `${error.message} Try again in ${error.retryAfter} seconds.`;
  }
  if (error instanceof ChowkError && error.status === 401) {
    return 'Your session had ended, so this was not done. Sign in and try again.';
  }
  if (error instanceof ChowkError) return fieldMessages(error.fields).join(' ') || error.message;
  return error instanceof Error ? error.message : String(error);
}

export function fieldMessages(fields: ChowkError['fields']): string[] {
  return Object.values(fields).flatMap((problems) => problems.map(({ message }) => message));
}

import { ChowkError } from '@chowk/client';
import { useQueryClient } from '@tanstack/react-query';
import { errorMessage } from '../format/error-message.ts';
import { Notice } from './notice.tsx';

interface ReadErrorProps {
  readonly error: Error;
  /** Instead of what the error says. */
  readonly message?: string;
}

/** Why something cannot be read, with a button that reads all on the page that has failed again. */
export function ReadError({ error, message = errorMessage(error) }: ReadErrorProps) {
  const cache = useQueryClient();
  // What does not exist or may not be seen stays so.
  const isFinal = error instanceof ChowkError && error.status >= 400 && error.status < 429;
  const tryAgain = () => cache.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });
  return (
    <Notice tone="error">
      {message}
      {!isFinal && (
        <button
          type="button"
          onClick={() => void tryAgain()}
          className="-my-2 ml-2 inline-flex min-h-8 items-center font-medium underline underline-offset-4 max-md:min-h-11"
        >
          Try again
        </button>
      )}
    </Notice>
  );
}

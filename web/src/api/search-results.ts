import type { Client } from '@chowk/client';
import { errorMessage } from '../format/error-message.ts';
import { useDebounced } from '../state/debounced.ts';
import type { Key } from './query-keys.ts';
import { useApi } from './use-api.ts';

const pauseMs = 150;
const minLength = 2;

interface SearchResults<Result> {
  /** The results for the text; those for the previous text while `isSearching`. */
  readonly data: Result | undefined;
  readonly isSearching: boolean;
  /** Why there are no results. */
  readonly failure: string | undefined;
}

/** Searches when the user pauses. */
export function useSearchResults<Result>(
  key: (text: string) => Key,
  text: string,
  search: (client: Client, text: string) => Promise<Result>,
): SearchResults<Result> {
  const query = useDebounced(text, pauseMs);
  const isLong = text.length >= minLength && query.length >= minLength;
  const { data, error, isLoading } = useApi(key(query), (client) => search(client, query), isLong);
  return {
    data: isLong ? data : undefined,
    isSearching: text.length >= minLength && (text !== query || isLoading),
    failure: isLong && error ? errorMessage(error) : undefined,
  };
}

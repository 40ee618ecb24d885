import { ChowkError, type Client } from '@chowk/client';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Key } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';

const pauseMs = 1_000;

/** Asks again while the platform calculates the figures, as before the first report. */
export function useReport<Result>(key: Key, read: (client: Client) => Promise<Result>): UseQueryResult<Result> {
  const result = useApi(key, read);
  const { error, isFetching, refetch } = result;
  const isWaiting = isCalculating(error) && !isFetching;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setTimeout(() => void refetch(), pauseMs);
    return () => clearTimeout(timer);
  }, [isWaiting, refetch]);
  return result;
}

export function isCalculating(error: Error | null): boolean {
  return error instanceof ChowkError && error.code === 'reports.calculating';
}

import type { Client } from '@chowk/client';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { errorMessage } from '../format/error-message.ts';
import { api, useTenant } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import type { Key } from './query-keys.ts';
import { refetch, tenantKey } from './use-api.ts';

interface ActionOptions<Input, Result> {
  /** What is refetched afterwards: see `affected-keys.ts`. */
  readonly affects: readonly Key[];
  /** What has happened, for a toast. */
  readonly done?: (result: Result, input: Input) => string;
  /** Leaves the page of something that was deleted, before the data is refetched. */
  readonly leave?: (input: Input) => Promise<void> | undefined;
}

/** Something a button does. A failure is shown as a toast; forms have `useForm`. */
export function useAction<Input, Result>(
  send: (client: Client, input: Input) => Promise<Result>,
  { affects, done, leave }: ActionOptions<Input, Result>,
): UseMutationResult<Result, Error, Input> {
  const refetchAll = useRefetch();
  return useMutation({
    mutationFn: (input: Input) => send(api(), input),
    async onSuccess(result, input) {
      if (done) toast(done(result, input));
      await leave?.(input);
      await refetchAll(...affects);
    },
    onError: (error) => toast(errorMessage(error)),
  });
}

/** Refetches what is shown of these keys, and of those below them. */
export function useRefetch(): (...keys: readonly Key[]) => Promise<void> {
  const cache = useQueryClient();
  const tenant = useTenant();
  return async (...keys) => {
    await Promise.all(keys.map((key) => refetch(cache, tenantKey(tenant, key))));
  };
}

import type { Client } from '@chowk/client';
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, useTenant } from '../session/session.ts';
import { toast } from '../ui/toast.tsx';
import { messageOf } from './error-message.ts';
import { keyOf, readAgain } from './use-api.ts';

interface ActionOptions<Input, Result> {
  /** The areas whose data changes: everything read under these names is read again. */
  readonly changes: readonly string[];
  /** What has happened, for a toast. */
  readonly done?: (result: Result, input: Input) => string;
  /** Leaves the page of something that was deleted, before the data is read again. */
  readonly leave?: (input: Input) => Promise<void> | undefined;
}

/** Something a button does. A failure is shown as a toast; forms have `useForm`. */
export function useAction<Input, Result>(
  send: (client: Client, input: Input) => Promise<Result>,
  { changes, done, leave }: ActionOptions<Input, Result>,
): UseMutationResult<Result, Error, Input> {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (input: Input) => send(api(), input),
    async onSuccess(result, input) {
      if (done) toast(done(result, input));
      await leave?.(input);
      await refresh(...changes);
    },
    onError: (error) => toast(messageOf(error)),
  });
}

/** Reads everything under these names again. */
export function useRefresh(): (...areas: readonly string[]) => Promise<void> {
  const cache = useQueryClient();
  const tenant = useTenant();
  return async (...areas) => {
    await Promise.all(areas.map((area) => readAgain(cache, keyOf(tenant, area))));
  };
}

import { ChowkError, type Client, type Me } from '@chowk/client';
import { type QueryClient, type QueryKey, type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, useTenant } from '../session/session.ts';
import { type Key, keys } from './query-keys.ts';

/** The data of all tenants. */
export const allKeys: QueryKey = ['api'];

/** The key of one tenant's data; another tenant's is never shown in its place. */
export function tenantKey(tenant: string | undefined, key: Key): QueryKey {
  return [...allKeys, tenant ?? '', ...key];
}

/** Refetches what is shown. A running request may have missed the change, so it is cancelled. */
export async function refetch(cache: QueryClient, queryKey: QueryKey): Promise<void> {
  await cache.cancelQueries({ queryKey });
  await cache.invalidateQueries({ queryKey });
}

/** Reads something of the tenant, from the cache first. */
export function useApi<Result>(
  key: Key,
  read: (client: Client) => Promise<Result>,
  enabled = true,
): UseQueryResult<Result> {
  const tenant = useTenant();
  const result = useQuery({ queryKey: tenantKey(tenant, key), queryFn: () => read(api()), enabled });
  // What was deleted, or may no longer be seen, is not shown from the cache.
  const isGone = result.error instanceof ChowkError && [403, 404, 410].includes(result.error.status);
  return isGone && result.data !== undefined ? ({ ...result, data: undefined } as UseQueryResult<Result>) : result;
}

export function useMe(): UseQueryResult<Me> {
  return useApi(keys.me, (client) => client.auth.me());
}

/** Whether the user may do something in this tenant. */
export function useCan(): (permission: string) => boolean {
  const { data } = useMe();
  return (permission) => data?.permissions?.includes(permission) ?? false;
}

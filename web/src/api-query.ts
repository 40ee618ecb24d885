import type { Client, Me } from '@chowk/client';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { api, useTenant } from './session.ts';

/** The keys of one tenant's data; another tenant's is never shown in its place. */
export function keyOf(tenant: string | undefined, ...name: readonly unknown[]): readonly unknown[] {
  return ['api', tenant ?? '', ...name];
}

/** Reads something of the tenant, from the cache first. */
export function useApi<Result>(
  name: readonly unknown[],
  read: (client: Client) => Promise<Result>,
  enabled = true,
): UseQueryResult<Result> {
  const tenant = useTenant();
  return useQuery({ queryKey: keyOf(tenant, ...name), queryFn: () => read(api()), enabled });
}

export function useMe(): UseQueryResult<Me> {
  return useApi(['me'], (client) => client.auth.me());
}

/** Whether the user may do something in this tenant. */
export function useCan(): (permission: string) => boolean {
  const { data } = useMe();
  return (permission) => data?.permissions?.includes(permission) ?? false;
}

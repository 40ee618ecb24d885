import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Key } from '../../api/query-keys.ts';
import { refetch, tenantKey } from '../../api/use-api.ts';
import { useTenant } from '../../session/session.ts';

const everyMs = 3_000;

/** Refetches these keys every few seconds, while `isOn`: there is no event for what goes on in the background. */
export function useRepeat(isOn: boolean, ...keys: readonly Key[]): void {
  const cache = useQueryClient();
  const tenant = useTenant();
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      for (const key of latest.current) void refetch(cache, tenantKey(tenant, key));
    }, everyMs);
    return () => clearInterval(timer);
  }, [isOn, cache, tenant]);
}

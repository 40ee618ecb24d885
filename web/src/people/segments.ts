import type { CustomerSegment } from '@chowk/client';
import { keys } from '../api/query-keys.ts';
import { useApi } from '../api/use-api.ts';

export type SegmentKey = CustomerSegment['key'];

/** `undefined` until they have been read. */
export function useSegments(): readonly CustomerSegment[] | undefined {
  return useApi(keys.customers.segments, (client) => client.customers.listSegments()).data?.segments;
}

/** The names of these segments, of those that are known yet. */
export function useSegmentLabels(wanted: readonly SegmentKey[]): readonly Pick<CustomerSegment, 'key' | 'label'>[] {
  const segments = useSegments() ?? [];
  return segments.filter(({ key }) => wanted.includes(key));
}

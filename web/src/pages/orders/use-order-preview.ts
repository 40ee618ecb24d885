import type { NewOrder, OrderPreview } from '@chowk/client';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { useDebounced } from '../../state/debounced.ts';
import type { OrderDraft } from './order-draft.ts';
import { toPreview } from './order-input.ts';

const pauseMs = 250;

/**
 * The price of a draft, calculated when the user pauses. The last one is kept, as outdated, until the next is known. `saved` has
 * fields that the form does not show, such as the currency.
 */
export function useOrderPreview(
  draft: OrderDraft,
  saved: Partial<NewOrder> = {},
): {
  readonly preview: OrderPreview | undefined;
  readonly isOutdated: boolean;
} {
  const order = toPreview(draft);
  const text = order ? JSON.stringify({ ...saved, ...order }) : '';
  const asked = useDebounced(text, pauseMs);
  const { data } = useApi(
    keys.orders.preview(asked),
    (client) => client.orders.preview(JSON.parse(asked)),
    asked !== '' && order !== undefined,
  );
  const [last, setLast] = useState<OrderPreview>();
  if (data && data.preview !== last) setLast(data.preview);
  return { preview: order && (data?.preview ?? last), isOutdated: asked !== text || data === undefined };
}

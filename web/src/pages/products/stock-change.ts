import type { Product, StockChange } from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { affectedByStock } from '../../api/affected-keys.ts';
import { errorMessage } from '../../api/error-message.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { tenantKey } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { api, useTenant } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';

export interface StockEdit extends Pick<StockChange, 'change' | 'reason' | 'reference'> {
  readonly product: Product;
}

interface CachedPage {
  readonly rows: readonly Product[];
}

/** Shows the new stock at once, and the old one again if the platform refuses the change. */
export function useStockChange() {
  const cache = useQueryClient();
  const tenant = useTenant();
  const refetch = useRefetch();
  const lists = { queryKey: tenantKey(tenant, keys.products.lists) };
  const add = ({ id }: Product, change: number) => {
    const moved = (one: Product): Product =>
      one.id === id ? { ...one, stock: one.stock + change, available: one.available + change } : one;
    cache.setQueriesData<CachedPage>(lists, (page) => page && { ...page, rows: page.rows.map(moved) });
    cache.setQueryData<{ product: Product }>(
      tenantKey(tenant, keys.products.detail(id)),
      (detail) => detail && { product: moved(detail.product) },
    );
  };
  return useMutation({
    // Once the stock has changed, the same change is another one.
    mutationFn: ({ product: { id, stock }, ...change }: StockEdit) =>
      submit(`stock.${id}.${stock}`, api().products.changeStock, { id, ...change }),
    async onMutate({ product, change }) {
      await cache.cancelQueries({ queryKey: tenantKey(tenant, keys.products.all) });
      add(product, change);
    },
    onSuccess({ product: { title, stock } }) {
      toast(`Stock of ${title}: ${stock}.`);
    },
    onError(error, { product, change }) {
      add(product, -change);
      toast(errorMessage(error));
    },
    onSettled: (_result, _error, { product }) => refetch(...affectedByStock(product.id)),
  });
}

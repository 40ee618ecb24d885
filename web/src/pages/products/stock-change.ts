import type { Product, ProductVariant, StockChange } from '@chowk/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { affectedByStock } from '../../api/affected-keys.ts';
import { keys } from '../../api/query-keys.ts';
import { useRefetch } from '../../api/use-action.ts';
import { tenantKey } from '../../api/use-api.ts';
import { submit } from '../../form/submission.ts';
import { errorMessage } from '../../format/error-message.ts';
import { api, useTenant } from '../../session/session.ts';
import { toast } from '../../ui/toast.tsx';

export interface StockEdit extends Pick<StockChange, 'change' | 'reason' | 'reference' | 'location_id'> {
  readonly variant: ProductVariant;
  /** The title of the product and the variant, for the message. */
  readonly name: string;
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
  const add = ({ id, product_id }: ProductVariant, change: number) => {
    const moved = <Stocked extends { readonly stock: number; readonly available: number }>(one: Stocked): Stocked => ({
      ...one,
      stock: one.stock + change,
      available: one.available + change,
    });
    const movedProduct = (one: Product): Product =>
      one.id === product_id
        ? { ...moved(one), variants: one.variants.map((variant) => (variant.id === id ? moved(variant) : variant)) }
        : one;
    cache.setQueriesData<CachedPage>(lists, (page) => page && { ...page, rows: page.rows.map(movedProduct) });
    cache.setQueryData<{ product: Product }>(
      tenantKey(tenant, keys.products.detail(product_id)),
      (detail) => detail && { product: movedProduct(detail.product) },
    );
  };
  return useMutation({
    // Once the stock has changed, the same change is another one.
    mutationFn: ({ variant: { id, stock }, name: _, ...change }: StockEdit) =>
      submit(`stock.${id}.${stock}`, api().products.changeVariantStock, { id, ...change }),
    async onMutate({ variant, change }) {
      await cache.cancelQueries({ queryKey: tenantKey(tenant, keys.products.all) });
      add(variant, change);
    },
    onSuccess({ variant }, { name }) {
      toast(`Stock of ${name}: ${variant.stock}.`);
    },
    onError(error, { variant, change }) {
      add(variant, -change);
      toast(errorMessage(error));
    },
    onSettled: (_result, _error, { variant }) => refetch(...affectedByStock(variant.product_id)),
  });
}

export function stockName({ title }: Product, variant: ProductVariant): string {
  return variant.title === '' ? title : `${title}, ${variant.title}`;
}

import type { Product, ProductVariant } from '@chowk/client';
import { useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { stockName } from './stock-change.ts';
import { StockForm } from './stock-form.tsx';
import { stockTone, useLowStock } from './stock-tone.ts';

interface StockButtonProps {
  readonly product: Product;
  readonly variant: ProductVariant;
}

/** The units on hand; a click changes them. */
export function StockButton({ product, variant }: StockButtonProps) {
  const canEdit = useCan()('products.edit');
  const { stock } = variant;
  const style = stockTone(variant, useLowStock());
  if (!canEdit) return <span className={style}>{count(stock)}</span>;
  const trigger = (
    <button
      type="button"
      aria-label={`Stock of ${stockName(product, variant)}: ${count(stock)}. Change it`}
      className={`numeric -mr-2 h-8 min-w-12 rounded-control px-2 text-right decoration-dotted underline-offset-4 hover:bg-line/60 hover:underline max-md:h-11 ${style}`}
    >
      {count(stock)}
    </button>
  );
  return <StockForm product={product} variant={variant} trigger={trigger} />;
}

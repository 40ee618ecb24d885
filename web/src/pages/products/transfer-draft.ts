import type { Product, StockTransfer } from '@chowk/client';
import { useStored } from '../../session/stored.ts';

export interface TransferRow {
  readonly variantId: string;
  readonly name: string;
  readonly sku: string;
  /** As it was typed. */
  readonly quantity: string;
}

export interface TransferDraft {
  readonly rows: readonly TransferRow[];
  /** Ids of locations; empty until one is chosen. */
  readonly from: string;
  readonly to: string;
  readonly reference: string;
}

const empty: TransferDraft = { rows: [], from: '', to: '', reference: '' };

/** Units that are to be moved, kept by the browser until they are. */
export const useTransferDraft = () => useStored<TransferDraft>('draft.transfer', empty);

export function productRows({ title, variants }: Pick<Product, 'title' | 'variants'>): readonly TransferRow[] {
  return variants.map(({ id, title: variant, sku }) => ({
    variantId: id,
    name: variant === '' ? title : `${title}, ${variant}`,
    sku,
    quantity: '',
  }));
}

/** The rows, and those of `more` that are not among them. */
export function withRows(rows: readonly TransferRow[], more: readonly TransferRow[]): readonly TransferRow[] {
  return [...rows, ...more.filter(({ variantId }) => rows.every((row) => row.variantId !== variantId))];
}

export function hasUnits({ quantity }: TransferRow): boolean {
  return quantity.trim() !== '' && quantity.trim() !== '0';
}

export function quantityProblem({ quantity }: TransferRow, stock?: number): string | undefined {
  const text = quantity.trim();
  if (text === '') return undefined;
  if (!/^\d+$/.test(text)) return 'Enter a whole number.';
  return stock !== undefined && Number(text) > stock ? `Only ${Math.max(stock, 0)} are there.` : undefined;
}

/** What the platform takes: rows without units are left out. */
export function toTransfer({ rows, reference }: TransferDraft, from: string, to: string): StockTransfer {
  return {
    from_location_id: from,
    to_location_id: to,
    items: rows.filter(hasUnits).map(({ variantId, quantity }) => ({
      variant_id: variantId,
      quantity: Number(quantity.trim()),
    })),
    reference: reference.trim() || null,
  };
}

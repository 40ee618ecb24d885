import type { Client, Discount, ProductVariant } from '@chowk/client';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';

/** A product, a variant or a collection that a discount applies to. */
export interface Target {
  readonly id: string;
  /** `undefined` until it is read. */
  readonly label: string | undefined;
}

export type TargetKind = Exclude<Discount['applies_to'], 'all'>;
export type Targets = Readonly<Record<TargetKind, readonly Target[]>>;

export const targetKinds: Readonly<Record<TargetKind, readonly [one: string, all: string]>> = {
  products: ['product', 'Products'],
  variants: ['variant', 'Variants'],
  collections: ['collection', 'Collections'],
};

export function readTargets(discount: Pick<Discount, 'applies_to' | 'target_ids'> | undefined): Targets {
  const none: Targets = { products: [], variants: [], collections: [] };
  if (!discount || discount.applies_to === 'all') return none;
  return { ...none, [discount.applies_to]: discount.target_ids.map((id) => ({ id, label: undefined })) };
}

/** More names are not read: a page with so many says how many there are. */
export const maxNames = 50;
const maxMatches = 8;

/** The names of targets, of those without a label. */
export function useTargetNames(kind: TargetKind, targets: readonly Target[]): ReadonlyMap<string, string> | undefined {
  const ids = targets.filter(({ label }) => label === undefined).map(({ id }) => id);
  const read = ids.slice(0, maxNames);
  const { data } = useApi(
    keys.discounts.targets(kind, read),
    (client) => readNames(client, kind, read),
    read.length > 0,
  );
  return read.length === 0 ? new Map() : data;
}

async function readNames(client: Client, kind: TargetKind, ids: readonly string[]): Promise<Map<string, string>> {
  if (kind === 'variants') {
    const { variants } = await client.products.listVariants({ ids, per_page: maxNames });
    return new Map(variants.map((variant) => [variant.id, variantLabel(variant)]));
  }
  const found = await Promise.allSettled(
    ids.map(async (id) =>
      kind === 'products'
        ? (await client.products.get({ id })).product
        : (await client.products.getCollection({ id })).collection,
    ),
  );
  return new Map(
    found.flatMap((one) => (one.status === 'fulfilled' ? [[one.value.id, one.value.title] as const] : [])),
  );
}

export interface Match {
  readonly id: string;
  readonly label: string;
  readonly detail?: string;
}

export async function searchTargets(client: Client, kind: TargetKind, text: string): Promise<readonly Match[]> {
  if (kind === 'collections') {
    const all = await Array.fromAsync(client.products.listCollections.all({ sort_by: 'title', sort_order: 'asc' }));
    const matching = all.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
    return matching.slice(0, maxMatches).map(({ id, title }) => ({ id, label: title }));
  }
  const { products } = await client.products.search({ q: text, limit: maxMatches });
  if (kind === 'products') return products.map(({ id, title, sku }) => ({ id, label: title, detail: sku }));
  return products.flatMap(({ title, variants }) =>
    variants.map((variant) => ({ id: variant.id, label: variantLabel(variant, title), detail: variant.sku })),
  );
}

function variantLabel({ title, sku }: ProductVariant, product?: string): string {
  return [product ?? sku, title].filter(Boolean).join(', ');
}

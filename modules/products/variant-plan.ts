import { type Ctx, type Issues, sql } from '@chowk/kit';
import { priceProblem } from './price.ts';
import type { ProductOption, SentVariant, Variant, VariantFields } from './variant-schemas.ts';

/** What a merchant sets of a variant, with its stock. A new variant has no `id`. */
export type VariantState = VariantFields & { readonly id?: string; readonly title: string; readonly stock: number };

interface Sent {
  readonly options: readonly ProductOption[];
  /** Undefined: the existing variants stay, with the names of the options changed. */
  readonly variants: readonly SentVariant[] | undefined;
  /** The SKU and the price of new variants without one. */
  readonly sku: string;
  readonly price: string;
  readonly imageIds: ReadonlySet<string>;
}

interface Current {
  readonly options: readonly ProductOption[];
  readonly variants: readonly Variant[];
}

export interface VariantPlan {
  readonly options: ProductOption[];
  readonly variants: VariantState[];
}

/** The variants that a product is to have, and its options with all values that they use. */
export function planVariants(sent: Sent, current: Current, issues: Issues): VariantPlan {
  const names = sent.options.map(({ name }) => name);
  if (new Set(names.map((name) => name.toLowerCase())).size < names.length) {
    issues.add('options', 'The names of options must differ.');
  }
  const skus = new Set([...current.variants, ...(sent.variants ?? [])].map(({ sku }) => sku?.toLowerCase()));
  const states = sent.variants
    ? sent.variants.map((variant, index) => mergeVariant(sent, current, variant, index, skus, issues))
    : renameOptions(sent.options, current, issues);
  checkVariants(names, states, issues);
  const options = sent.options.map(({ name, values }) => ({
    name,
    values: [...new Set([...values, ...states.flatMap(({ options }) => options[name] ?? [])])],
  }));
  const titled = states.map((state) => ({ ...state, title: names.map((name) => state.options[name]).join(' / ') }));
  return { options, variants: titled };
}

const newVariant = {
  title: '',
  options: {},
  compare_at_price: null,
  barcode: null,
  weight_grams: null,
  image_id: null,
  continue_selling: false,
  taxable: true,
  tax_class: 'standard',
  tax_code: null,
  metadata: {},
  external_ids: {},
  stock: 0,
};

function mergeVariant(
  { sku, price, imageIds }: Sent,
  { variants }: Current,
  { id, ...sent }: SentVariant,
  index: number,
  skus: Set<string | undefined>,
  issues: Issues,
): VariantState {
  const key = sent.sku?.toLowerCase();
  const known = variants.find((one) =>
    id === undefined ? one.sku.toLowerCase() === key : one.id === id.toLowerCase(),
  );
  if (id !== undefined && !known) {
    issues.add(`variants.${index}.id`, `This product has no variant ${id}.`, 'unknown');
  }
  const base = known ?? { ...newVariant, sku: sent.sku ?? nextSku(sku, index, skus), price };
  const image = sent.image_id;
  if (image && !imageIds.has(image)) {
    issues.add(`variants.${index}.image_id`, `This product has no image ${image}.`, 'unknown');
  }
  const state = { ...pickState(base), ...sent };
  if (known && state.stock < known.reserved && state.stock < known.stock) {
    const message = `${known.reserved} units are reserved; the stock must be at least that.`;
    issues.add(`variants.${index}.stock`, message, 'too_small');
  }
  const isKept = known && state.image_id !== null && !imageIds.has(state.image_id) && image === undefined;
  return { ...state, ...(isKept ? { image_id: null } : {}), ...(known ? { id: known.id } : {}) };
}

/** The SKU of the product for the first variant, else with a number that is free in the product. */
function nextSku(sku: string, index: number, skus: Set<string | undefined>): string {
  const candidates = Array.from({ length: skus.size + 1 }, (_, step) => `${sku.slice(0, 58)}-${index + 1 + step}`);
  const all = index === 0 ? [sku, ...candidates] : candidates;
  const free = all.find((one) => !skus.has(one.toLowerCase())) ?? sku;
  skus.add(free.toLowerCase());
  return free;
}

/** The part of a variant that a merchant sets. */
export function pickState(variant: Omit<VariantState, 'id'>): Omit<VariantState, 'id'> {
  const names = [...Object.keys(newVariant), 'sku', 'price'] as (keyof Omit<VariantState, 'id'>)[];
  return Object.fromEntries(names.map((name) => [name, variant[name]])) as unknown as Omit<VariantState, 'id'>;
}

function renameOptions(options: readonly ProductOption[], current: Current, issues: Issues): VariantState[] {
  if (options.length !== current.options.length) {
    issues.add('options', 'Send `variants` too, with a value for each option.');
  }
  return current.variants.map((variant) => {
    const values = current.options.map(({ name }, index) => [
      options[index]?.name ?? name,
      variant.options[name] ?? '',
    ]);
    return { ...pickState(variant), id: variant.id, options: Object.fromEntries(values) };
  });
}

function checkVariants(names: readonly string[], states: readonly VariantState[], issues: Issues): void {
  if (states.length === 0) issues.add('variants', 'A product has at least one variant.', 'too_few');
  if (names.length === 0 && states.length > 1) {
    issues.add('variants', 'A product without options has one variant. Send `options` too.', 'too_many');
  }
  const skus = new Map<string, number>();
  const combinations = new Map<string, number>();
  for (const [index, state] of states.entries()) {
    const field = (name: string) => `variants.${index}.${name}`;
    for (const name of names) {
      if (!state.options[name]) issues.add(field(`options.${name}`), `The ${name} is required.`, 'required');
    }
    for (const name of Object.keys(state.options)) {
      if (!names.includes(name)) issues.add(field(`options.${name}`), `There is no option ${name}.`, 'unknown');
    }
    const problem = priceProblem(state);
    if (problem) issues.add(field('compare_at_price'), problem);
    addTwice(skus, state.sku.toLowerCase(), index, (first) => {
      issues.add(field('sku'), `The SKU ${state.sku} is also that of variant ${first + 1}.`, 'taken');
    });
    if (names.length === 0) continue;
    addTwice(combinations, JSON.stringify(names.map((name) => state.options[name])), index, (first) => {
      issues.add(field('options'), `Variant ${first + 1} has the same options.`, 'taken');
    });
  }
}

function addTwice(seen: Map<string, number>, key: string, index: number, onTwice: (first: number) => void): void {
  const first = seen.get(key);
  if (first === undefined) seen.set(key, index);
  else onTwice(first);
}

/** The SKUs among these that variants of other products have, in lower case. */
export async function findTakenSkus(
  ctx: Ctx,
  skus: readonly string[],
  productId: string | null = null,
): Promise<ReadonlySet<string>> {
  const rows = await ctx.db.rows<{ sku_key: string }>(sql`
    SELECT sku_key FROM product_variants
    WHERE sku_key IN (SELECT lower(sku) FROM unnest(${skus}::text[]) AS sku) AND deleted_at IS NULL
      AND product_id IS DISTINCT FROM ${productId}::uuid`);
  return new Set(rows.map(({ sku_key }) => sku_key));
}

import { type Ctx, defineEvent, type EventTypes, extend, type Static, Type, Uuid } from '@chowk/kit';
import { Collection } from './collection-schemas.ts';
import { ProductRecord } from './schemas.ts';
import { StockMovement } from './stock-schemas.ts';
import { Variant } from './variant-schemas.ts';

const common = {
  subject: ({ product }: { product: ProductRecord }) => product.id,
  needs: 'products.view',
};

const collectionEvent = {
  subject: ({ collection }: { collection: Collection }) => collection.id,
  needs: 'products.view',
};

const { change, reserved_change, reason, reference } = StockMovement.properties;
const StockChange = Type.Object({
  product: ProductRecord,
  variant: Variant,
  change,
  reserved_change,
  reason,
  reference,
});
type StockChange = Static<typeof StockChange>;

const low_stock = Type.Boolean({
  description: 'Whether `products.low_stock_threshold` units of the variant or fewer are available.',
});

export const events = {
  'product.created': defineEvent({
    ...common,
    summary: 'A product was created',
    payload: Type.Object({ product: ProductRecord }),
    graphql: 'productCreated',
  }),
  'product.updated': defineEvent({
    ...common,
    summary: 'Fields of a product were changed',
    payload: Type.Object({ product: ProductRecord, changed: Type.Array(Type.String()) }),
    graphql: 'productUpdated',
  }),
  'product.deleted': defineEvent({
    ...common,
    summary: 'A product was deleted',
    payload: Type.Object({ product: ProductRecord }),
    graphql: 'productDeleted',
  }),
  'product.mandatory_changed': defineEvent({
    summary: 'A mandatory product was created, changed or deleted, or has become or is no longer mandatory',
    payload: Type.Object({ ids: Type.Array(Uuid) }),
    needs: common.needs,
  }),
  'product.stock_changed': defineEvent({
    ...common,
    summary: 'The units in stock or the reserved units were changed',
    payload: extend(StockChange, { low_stock }),
    graphql: 'productStockChanged',
  }),
  'product.low_stock': defineEvent({
    ...common,
    summary: 'The available units of a variant have fallen to `products.low_stock_threshold` or below',
    payload: Type.Object({
      product: ProductRecord,
      variant: Variant,
      sku: Type.String(),
      available: Type.Integer(),
      threshold: Type.Integer(),
    }),
    graphql: 'productLowStock',
  }),
  'collection.created': defineEvent({
    ...collectionEvent,
    summary: 'A collection was created',
    payload: Type.Object({ collection: Collection }),
    graphql: 'collectionCreated',
  }),
  'collection.updated': defineEvent({
    ...collectionEvent,
    summary: 'Fields of a collection, or the products that were chosen for it, were changed',
    payload: Type.Object({ collection: Collection, changed: Type.Array(Type.String()) }),
    graphql: 'collectionUpdated',
  }),
  'collection.deleted': defineEvent({
    ...collectionEvent,
    summary: 'A collection was deleted',
    payload: Type.Object({ collection: Collection }),
    graphql: 'collectionDeleted',
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}

/** Also emits `product.low_stock` for each variant that was above the threshold before these changes. */
export async function emitStockChanged(ctx: Ctx, changes: readonly StockChange[]): Promise<void> {
  const { 'products.low_stock_threshold': threshold } = await ctx.settings();
  await ctx.emitAll(
    'product.stock_changed',
    changes.map((one) => ({ ...one, low_stock: one.variant.available <= threshold })),
  );
  const byVariant = Map.groupBy(changes, ({ variant }) => variant.id);
  const fallen = [...byVariant.values()].flatMap(([first, ...others]) => {
    const { product, variant } = first as StockChange;
    const change = [first as StockChange, ...others].reduce((sum, one) => sum + one.change - one.reserved_change, 0);
    const { sku, available } = variant;
    const hasFallen = available <= threshold && available - change > threshold;
    return hasFallen ? [{ product, variant, sku, available, threshold }] : [];
  });
  await ctx.emitAll('product.low_stock', fallen);
}

/** Emits `product.mandatory_changed` if one of the changed products is or was mandatory. */
export async function emitMandatoryChanged(ctx: Ctx, products: readonly ProductRecord[]): Promise<void> {
  const ids = new Set(products.flatMap((product) => (product.mandatory ? [product.id] : [])));
  if (ids.size > 0) await ctx.emit('product.mandatory_changed', { ids: [...ids] });
}

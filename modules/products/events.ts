import { type Ctx, defineEvent, type EventTypes, extend, type Static, Type, Uuid } from '@chowk/kit';
import { Product, StockMovement } from './schemas.ts';

const common = {
  subject: ({ product }: { product: Product }) => product.id,
  needs: 'products.view',
};

const { change, reserved_change, reason, reference } = StockMovement.properties;
const StockChange = Type.Object({ product: Product, change, reserved_change, reason, reference });
type StockChange = Static<typeof StockChange>;

const low_stock = Type.Boolean({ description: 'Whether `products.low_stock_threshold` units or fewer are available.' });

export const events = {
  'product.created': defineEvent({
    ...common,
    summary: 'A product was created',
    payload: Type.Object({ product: Product }),
    graphql: 'productCreated',
  }),
  'product.updated': defineEvent({
    ...common,
    summary: 'Fields of a product were changed',
    payload: Type.Object({ product: Product, changed: Type.Array(Type.String()) }),
    graphql: 'productUpdated',
  }),
  'product.deleted': defineEvent({
    ...common,
    summary: 'A product was deleted',
    payload: Type.Object({ product: Product }),
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
};

declare module '@chowk/kit/catalogue' {
  interface Events extends EventTypes<typeof events> {}
}

export async function emitStockChanged(ctx: Ctx, changes: readonly StockChange[]): Promise<void> {
  const { 'products.low_stock_threshold': threshold } = await ctx.settings();
  await ctx.emitAll(
    'product.stock_changed',
    changes.map((change) => ({ ...change, low_stock: change.product.available <= threshold })),
  );
}

/** Emits `product.mandatory_changed` if one of the changed products is or was mandatory. */
export async function emitMandatoryChanged(ctx: Ctx, products: readonly (Product | undefined)[]): Promise<void> {
  const ids = new Set(products.flatMap((product) => (product?.mandatory ? [product.id] : [])));
  if (ids.size > 0) await ctx.emit('product.mandatory_changed', { ids: [...ids] });
}

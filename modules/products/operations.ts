import { type Ctx, forbidden, invalid, type OperationsOf, operation, type Static, Type, Uuid } from '@chowk/kit';
import { listProducts } from './list.ts';
import { createProduct, getProduct, updateProduct } from './products.ts';
import { endReservationsFor, reserve } from './reservations.ts';
import {
  CreateInput,
  ListInput,
  type ListQuery,
  type NewProduct,
  Product,
  ProductChanges,
  ProductKey,
  ProductPage,
  ProductsAnswer,
  SearchInput,
  type SearchQuery,
  StockOperation,
  usualHold,
} from './schemas.ts';
import { searchProducts } from './search.ts';
import { moveStock } from './stock.ts';

export const operations = {
  'products.get': operation({ input: ProductKey, output: Product, run: getProduct }),
  'products.list': operation({
    input: ListInput,
    output: ProductPage,
    run: async (ctx, query) => JSON.parse(await listProducts(ctx, query as ListQuery)),
  }),
  'products.search': operation({
    input: SearchInput,
    output: ProductsAnswer,
    run: async (ctx, query) => ({ products: await searchProducts(ctx, query as SearchQuery) }),
  }),
  'products.create': operation({
    input: CreateInput,
    output: Product,
    run: (ctx, input) => createProduct(ctx, input as NewProduct),
  }),
  'products.update': operation({
    input: Type.Object({ id: Uuid, ...ProductChanges.properties }),
    output: Product,
    run: (ctx, { id, ...changes }) => updateProduct(ctx, { id }, changes),
  }),
  'products.adjustStock': operation({ input: StockOperation, output: Product, run: adjustStock }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof operations> {}
}

/** Who takes orders may hold and sell what is there; who edits products may also say how much there is. */
const mayHold = ['products.edit', 'orders.create', 'orders.edit'];

async function adjustStock(ctx: Ctx, input: Static<typeof StockOperation>): Promise<Product> {
  const enough = (input.mode ?? 'adjust') === 'adjust' ? ['products.edit'] : mayHold;
  if (!enough.some((permission) => ctx.can(permission))) throw forbidden(enough.join(' or '));
  const { id } = input.id === undefined ? await getProduct(ctx, input) : { id: input.id };
  const { mode = 'adjust', change, reason = 'adjusted', reference, expires_in = usualHold } = input;
  switch (mode) {
    case 'adjust':
      if (change === undefined) throw invalid({ change: ['The change is required.'] });
      return moveStock(ctx, { id }, { change, reason, reference });
    case 'reserve':
      if (change === undefined || change < 1) throw invalid({ change: ['The change must be at least 1.'] });
      return (await reserve(ctx, { id }, { quantity: change, expires_in, ...(reference ? { reference } : {}) }))
        .product;
    default:
      if (reference === undefined) throw invalid({ reference: ['The reference is required.'] });
      return endReservationsFor(ctx, { id, reference }, mode);
  }
}

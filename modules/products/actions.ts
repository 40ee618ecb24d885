import { action, ById, extend, ImportReport, named, type OperationsOf, SearchQuery, Type, Uuid } from '@chowk/kit';
import { importProducts } from './csv-import.ts';
import { productList, searchProducts } from './list.ts';
import { movementList } from './movements.ts';
import {
  createProduct,
  deleteProduct,
  explainProduct,
  getProduct,
  getProducts,
  listCategories,
  updateProduct,
} from './products.ts';
import { commit, release, reserve } from './reservations.ts';
import {
  Category,
  NewProduct,
  NewReservation,
  Product,
  ProductChanges,
  ReservationKey,
  Reserved,
  StockChange,
} from './schemas.ts';
import { moveStock } from './stock.ts';

const reservationAccess = { needs: ['products.edit', 'orders.create', 'orders.edit'], bus: { rateLimit: 6_000 } };

export const actions = {
  'products.list': action({
    summary: 'List products',
    http: 'GET /products',
    needs: 'products.view',
    bus: { rateLimit: 3_000 },
    ...productList.paged,
  }),
  'products.create': action({
    summary: 'Create a product',
    http: 'POST /products',
    needs: 'products.create',
    bus: { rateLimit: 1_200 },
    input: NewProduct,
    output: Product,
    answer: { key: 'product', message: 'Product created.', status: 201 },
    run: createProduct,
    explain: explainProduct,
  }),
  'products.search': action({
    summary: 'Search products',
    description: 'By SKU, title, tag or category, best match first.',
    http: 'GET /products/search',
    needs: 'products.view',
    bus: { rateLimit: 1_200 },
    input: SearchQuery,
    output: Type.Object({ products: Type.Array(Product) }),
    run: searchProducts,
  }),
  'products.categories': action({
    summary: 'List the categories in use',
    description: 'Categories with the most products first.',
    http: 'GET /products/categories',
    needs: 'products.view',
    output: Type.Object({ categories: Type.Array(Category) }),
    run: listCategories,
  }),
  'products.export': action({
    summary: 'Export products',
    http: 'GET /products/export',
    needs: 'products.export',
    ...productList.exported,
  }),
  'products.import': action({
    summary: 'Import products from a CSV file',
    description: 'Creates or updates a product for each row by its SKU. A row is imported as a whole or not at all.',
    http: 'POST /products/import',
    needs: 'products.import',
    accepts: 'csv',
    bodyLimit: 10 * 1024 * 1024,
    input: Type.Object({ csv: Type.String({ examples: ['sku,title,price\r\nTEA-250,Green tea,199.65\r\n'] }) }),
    output: ImportReport,
    answer: {
      message: ({ created, updated, failed }) => `${created} created, ${updated} updated, ${failed} failed.`,
    },
    run: importProducts,
  }),
  'products.getBySku': action({
    summary: 'Get a product by its SKU',
    http: 'GET /products/lookup',
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: Type.Object({ sku: NewProduct.properties.sku }),
    output: Product,
    answer: { key: 'product' },
    errors: ['products.not_found'],
    run: getProduct,
  }),
  'products.get': action({
    summary: 'Get a product',
    http: 'GET /products/:id',
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: ById,
    output: Product,
    answer: { key: 'product' },
    run: getProduct,
    many: getProducts,
  }),
  'products.update': action({
    summary: 'Update a product',
    description: 'Fields that are not sent do not change.',
    http: 'PATCH /products/:id',
    needs: 'products.edit',
    bus: { rateLimit: 3_000 },
    input: named('ProductChanges', extend(ProductChanges, { id: Uuid })),
    output: Product,
    answer: { key: 'product', message: 'Product saved.' },
    errors: ['products.insufficient_stock'],
    run: updateProduct,
    explain: explainProduct,
  }),
  'products.delete': action({
    summary: 'Delete a product',
    description: 'Its SKU can be used again. A product with reservations cannot be deleted.',
    http: 'DELETE /products/:id',
    needs: 'products.delete',
    input: ById,
    answer: { message: 'Product deleted.' },
    errors: ['products.has_reservations', 'http.precondition_failed'],
    run: deleteProduct,
  }),
  'products.changeStock': action({
    summary: 'Change the stock of a product',
    description: 'Adds or removes units. Removing more than are available fails.',
    http: 'POST /products/:id/stock',
    needs: 'products.edit',
    bus: { rateLimit: 6_000 },
    input: StockChange,
    output: Product,
    answer: { key: 'product', message: 'Stock changed.' },
    errors: ['products.insufficient_stock'],
    run: moveStock,
  }),
  'products.reserve': action({
    summary: 'Reserve units of a product',
    http: 'POST /products/:id/reservations',
    ...reservationAccess,
    input: NewReservation,
    output: Reserved,
    answer: { message: 'Units reserved.', status: 201 },
    errors: ['products.insufficient_stock'],
    run: reserve,
  }),
  'products.release': action({
    summary: 'Release a reservation',
    http: 'DELETE /products/:id/reservations/:reservation',
    ...reservationAccess,
    input: ReservationKey,
    output: Product,
    answer: { key: 'product', message: 'Reservation released.' },
    errors: ['products.reservation_not_found'],
    run: release,
  }),
  'products.commit': action({
    summary: 'Sell the units of a reservation',
    http: 'POST /products/:id/reservations/:reservation/commit',
    ...reservationAccess,
    input: ReservationKey,
    output: Product,
    answer: { key: 'product', message: 'Reserved units removed from stock.' },
    errors: ['products.reservation_not_found'],
    run: commit,
  }),
  'products.movements': action({
    summary: 'List the stock movements of a product',
    description: 'Newest first.',
    http: 'GET /products/:id/movements',
    needs: 'products.view',
    ...movementList.paged,
    run: async (ctx, query) => {
      await getProduct(ctx, query);
      return movementList.page(ctx, query);
    },
  }),
};

declare module '@chowk/kit/catalogue' {
  interface Operations extends OperationsOf<typeof actions> {}
}

import { action, ById, ImportReport, readCsv, SearchQuery, Type } from '@chowk/kit';
import { bulkActions } from './bulk.ts';
import { ImportPreview } from './csv-changes.ts';
import { importProducts, previewImport } from './csv-import.ts';
import { addImage, deleteImage, updateImage, uploadImage } from './images.ts';
import { productList, searchProducts } from './list.ts';
import { movementList } from './movements.ts';
import {
  checkChanges,
  checkNewProduct,
  createProduct,
  deleteProduct,
  getProduct,
  getProducts,
  getProductsBySku,
  listCategories,
  updateProduct,
} from './products.ts';
import { commit, release, renew, reserve } from './reservations.ts';
import {
  Category,
  ImageChanges,
  ImageKey,
  NewImageUpload,
  NewProduct,
  NewUpload,
  Product,
  ProductImage,
  ProductInput,
  ProductUpdate,
} from './schemas.ts';
import { changeStock } from './stock.ts';
import {
  NewReservation,
  RenewedReservation,
  Reservation,
  ReservationKey,
  Reserved,
  StockChange,
} from './stock-schemas.ts';
import { upsertActions } from './upsert.ts';
import { Slug } from './variant-schemas.ts';

const reservationAccess = { needs: ['products.edit', 'orders.create', 'orders.edit'], bus: { rateLimit: 6_000 } };

const csvFile = {
  needs: 'products.import',
  accepts: 'csv',
  bodyLimit: 10 * 1024 * 1024,
  input: readCsv.input('sku,title,price\r\nTEA-250,Green tea,199.65\r\n'),
  output: ImportReport,
} as const;

export const actions = {
  ...upsertActions,
  ...bulkActions,
  'products.list': action({
    summary: 'List products',
    http: 'GET /products',
    graphql: 'products',
    needs: 'products.view',
    bus: { rateLimit: 3_000 },
    ...productList.paged,
  }),
  'products.create': action({
    summary: 'Create a product',
    description:
      'With `options` and `variants`, up to 250 variants; without them one, with the SKU, prices and stock of the product. A ' +
      'mandatory product, which all tenants of a reseller get, needs `reseller.catalogue.manage`.',
    http: 'POST /products',
    example: {
      sku: 'TEA-500',
      title: 'Green tea, 500 g',
      description: 'First flush, from Darjeeling.',
      price: '89.00',
      stock: 120,
      tags: ['organic'],
      categories: ['Tea'],
    },
    graphql: 'createProduct',
    needs: 'products.create',
    bus: { rateLimit: 1_200 },
    input: ProductInput,
    output: Product,
    answer: { key: 'product', message: 'Product created.', status: 201 },
    atomic: true,
    check: checkNewProduct,
    run: createProduct,
  }),
  'products.search': action({
    summary: 'Search products',
    description: 'By SKU, title, tag or category, best match first.',
    http: 'GET /products/search',
    graphql: 'searchProducts',
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
    graphql: 'productCategories',
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
    description:
      'Creates or updates a product for each row by its SKU. Rows with option values and the same slug are variants of one ' +
      'product. A product is imported as a whole or not at all. `mapping` says what the columns of another program are; a ' +
      'product export of Shopify is imported as it is.',
    http: 'POST /products/import',
    ...csvFile,
    answer: {
      message: ({ created, updated, unchanged, failed }) =>
        `${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed.`,
    },
    run: importProducts,
  }),
  'products.previewImport': action({
    summary: 'Preview an import of products',
    description: 'Returns what the import would create, update and refuse, and changes nothing.',
    http: 'POST /products/import/preview',
    readOnly: true,
    ...csvFile,
    output: ImportPreview,
    run: previewImport,
  }),
  'products.getBySku': action({
    summary: 'Get a product by the SKU of one of its variants',
    http: 'GET /products/lookup',
    graphql: 'productBySku',
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: Type.Object({ sku: NewProduct.properties.sku }),
    output: Product,
    answer: { key: 'product' },
    errors: ['products.not_found'],
    run: getProduct,
    runBatch: getProductsBySku,
  }),
  'products.getBySlug': action({
    summary: 'Get a product by its slug',
    graphql: 'productBySlug',
    readOnly: true,
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: Type.Object({ slug: Slug }),
    output: Product,
    answer: { key: 'product' },
    errors: ['products.not_found'],
    run: getProduct,
  }),
  'products.get': action({
    summary: 'Get a product',
    http: 'GET /products/:id',
    graphql: 'product',
    needs: 'products.view',
    bus: { rateLimit: 6_000 },
    input: ById,
    output: Product,
    answer: { key: 'product' },
    run: getProduct,
    runBatch: getProducts,
  }),
  'products.update': action({
    summary: 'Update a product',
    description:
      'Fields that are not sent do not change. If a reseller has made the product mandatory, only the stock can be ' +
      'changed; changing `mandatory` needs `reseller.catalogue.manage`.',
    http: 'PATCH /products/:id',
    example: { title: 'Green tea, first flush', tags: ['organic', 'new'] },
    graphql: 'updateProduct',
    needs: 'products.edit',
    bus: { rateLimit: 3_000 },
    input: ProductUpdate,
    output: Product,
    answer: { key: 'product', message: 'Product saved.' },
    errors: ['products.insufficient_stock', 'products.insufficient_at_location', 'products.has_reservations'],
    atomic: true,
    check: checkChanges,
    run: updateProduct,
  }),
  'products.delete': action({
    summary: 'Delete a product',
    description:
      'Its SKU can be used again. A product with reservations cannot be deleted, nor can one that a reseller has made ' +
      'mandatory. A mandatory product of your own needs `reseller.catalogue.manage`.',
    http: 'DELETE /products/:id',
    graphql: 'deleteProduct',
    needs: 'products.delete',
    input: ById,
    answer: { message: 'Product deleted.' },
    errors: ['products.has_reservations', 'products.is_mandatory', 'http.precondition_failed'],
    run: deleteProduct,
  }),
  'products.addImage': action({
    summary: 'Upload an image of a product',
    description:
      'Added to the end of `images`, as WebP in up to three sizes. The URLs need no token and never change; metadata ' +
      'such as the place where a photo was taken is removed. At most 50 million pixels.',
    http: 'POST /products/:id/images',
    needs: 'products.edit',
    accepts: 'multipart',
    input: NewImageUpload,
    output: ProductImage,
    answer: { key: 'image', message: 'Image added.', status: 201 },
    errors: ['products.is_mandatory', 'http.precondition_failed'],
    run: addImage,
  }),
  'products.uploadImage': action({
    summary: 'Upload an image before its product is saved',
    description:
      'As for an image of a product. Name its `id` in `images` when you create or update a product; otherwise it is removed ' +
      'after a day.',
    http: 'POST /product-images',
    needs: ['products.create', 'products.edit'],
    accepts: 'multipart',
    input: NewUpload,
    output: ProductImage,
    answer: { key: 'image', message: 'Image uploaded.', status: 201 },
    run: uploadImage,
  }),
  'products.updateImage': action({
    summary: 'Move or describe an image of a product',
    description: 'Fields that are not sent do not change.',
    http: 'PATCH /products/:id/images/:image',
    graphql: 'updateProductImage',
    needs: 'products.edit',
    input: ImageChanges,
    output: Product,
    answer: { key: 'product', message: 'Image saved.' },
    errors: ['products.image_not_found', 'products.is_mandatory'],
    run: updateImage,
  }),
  'products.deleteImage': action({
    summary: 'Delete an image of a product',
    http: 'DELETE /products/:id/images/:image',
    graphql: 'deleteProductImage',
    needs: 'products.edit',
    input: ImageKey,
    output: Product,
    answer: { key: 'product', message: 'Image deleted.' },
    errors: ['products.image_not_found', 'products.is_mandatory'],
    run: deleteImage,
  }),
  'products.changeStock': action({
    summary: 'Change the stock of a product',
    description: 'Adds or removes units of a product with one variant. Removing more than are available fails.',
    http: 'POST /products/:id/stock',
    example: { change: 12, reason: 'received', reference: 'Delivery 77' },
    graphql: 'changeProductStock',
    needs: 'products.edit',
    bus: { rateLimit: 6_000 },
    input: StockChange,
    output: Product,
    answer: { key: 'product', message: 'Stock changed.' },
    errors: ['products.insufficient_stock', 'products.insufficient_at_location', 'products.has_variants'],
    run: changeStock,
  }),
  'products.reserve': action({
    summary: 'Reserve units of a product',
    http: 'POST /products/:id/reservations',
    example: { quantity: 2, reference: 'cart-1042', expires_in: 900 },
    graphql: 'reserveProduct',
    ...reservationAccess,
    input: NewReservation,
    output: Reserved,
    answer: { message: 'Units reserved.', status: 201 },
    errors: ['products.insufficient_stock', 'products.has_variants', 'products.variant_not_found'],
    run: reserve,
  }),
  'products.renew': action({
    summary: 'Renew a reservation',
    description: 'It then ends after `expires_in` seconds from now. A reservation that has ended cannot be renewed.',
    http: 'POST /products/:id/reservations/:reservation/renew',
    example: { expires_in: 900 },
    graphql: 'renewProductReservation',
    ...reservationAccess,
    input: RenewedReservation,
    output: Reservation,
    answer: { key: 'reservation', message: 'Reservation renewed.' },
    errors: ['products.reservation_not_found'],
    run: renew,
  }),
  'products.release': action({
    summary: 'Release a reservation',
    http: 'DELETE /products/:id/reservations/:reservation',
    graphql: 'releaseProductReservation',
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
    graphql: 'commitProductReservation',
    ...reservationAccess,
    input: ReservationKey,
    output: Product,
    answer: { key: 'product', message: 'Reserved units removed from stock.' },
    errors: ['products.reservation_not_found', 'products.insufficient_at_location'],
    run: commit,
  }),
  'products.movements': action({
    summary: 'List the stock movements of a product',
    description: 'Newest first.',
    http: 'GET /products/:id/movements',
    graphql: 'productMovements',
    needs: 'products.view',
    ...movementList.paged,
    run: async (ctx, query) => {
      await getProduct(ctx, query);
      return movementList.page(ctx, query);
    },
  }),
};

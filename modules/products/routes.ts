import { Answer, Message, Paging, type Route, route, Type } from '@chowk/kit';
import { exportProducts } from './csv-export.ts';
import { importProducts } from './csv-import.ts';
import { listProducts } from './list.ts';
import { listMovements } from './movements.ts';
import { createProduct, deleteProduct, getProduct, listCategories, updateProduct } from './products.ts';
import { endReservation, reserve } from './reservations.ts';
import {
  ById,
  ByReservation,
  CategoriesAnswer,
  ExportQuery,
  ImportReport,
  ListQuery,
  MovementPage,
  NewProduct,
  NewReservation,
  ProductAnswer,
  ProductChanges,
  ProductMessage,
  ProductPage,
  ProductsAnswer,
  ReservationMessage,
  SearchQuery,
  StockChange,
} from './schemas.ts';
import { searchProducts } from './search.ts';
import { moveStock } from './stock.ts';

const tag = 'Products';
const json = { 'content-type': 'application/json; charset=utf-8' };
const importLimit = 10 * 1024 * 1024;

export const routes: Route[] = [
  route({
    method: 'GET',
    path: '/products',
    tag,
    summary: 'A page of products that the filters find.',
    needs: 'products.view',
    query: ListQuery,
    answer: ProductPage,
    run: async (ctx, { query }) => new Answer(await listProducts(ctx, query), { headers: json }),
  }),
  route({
    method: 'POST',
    path: '/products',
    tag,
    summary: 'Makes a product.',
    needs: 'products.create',
    body: NewProduct,
    status: 201,
    answer: ProductMessage,
    run: async (ctx, { body }) => ({ message: 'The product was created.', product: await createProduct(ctx, body) }),
  }),
  route({
    method: 'GET',
    path: '/products/search',
    tag,
    summary: 'Products by SKU, title, tag or category, the best match first.',
    needs: 'products.view',
    query: SearchQuery,
    answer: ProductsAnswer,
    run: async (ctx, { query }) => ({ products: await searchProducts(ctx, query) }),
  }),
  route({
    method: 'GET',
    path: '/products/categories',
    tag,
    summary: 'The categories in use, the largest first.',
    needs: 'products.view',
    answer: CategoriesAnswer,
    run: async (ctx) => ({ categories: await listCategories(ctx) }),
  }),
  route({
    method: 'GET',
    path: '/products/export',
    tag,
    summary: 'All products that the filters find, as a CSV or JSON file.',
    needs: 'products.export',
    query: ExportQuery,
    run: (ctx, { query }) => exportProducts(ctx, query),
  }),
  route({
    method: 'POST',
    path: '/products/import',
    tag,
    summary: 'Makes or changes products from a CSV file, by SKU, each row as a whole.',
    needs: 'products.import',
    accepts: 'csv',
    bodyLimit: importLimit,
    body: Type.String(),
    answer: ImportReport,
    run: (ctx, { body }) => importProducts(ctx, body),
  }),
  route({
    method: 'GET',
    path: '/products/:id',
    tag,
    summary: 'One product.',
    needs: 'products.view',
    params: ById,
    answer: ProductAnswer,
    run: async (ctx, { params }) => ({ product: await getProduct(ctx, params) }),
  }),
  route({
    method: 'PATCH',
    path: '/products/:id',
    tag,
    summary: 'Changes the given fields of a product.',
    needs: 'products.edit',
    params: ById,
    body: ProductChanges,
    answer: ProductMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The product was saved.',
      product: await updateProduct(ctx, params, body),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/products/:id',
    tag,
    summary: 'Deletes a product of which nothing is reserved.',
    needs: 'products.delete',
    params: ById,
    answer: Message,
    run: async (ctx, { params }) => {
      await deleteProduct(ctx, params);
      return { message: 'The product was deleted.' };
    },
  }),
  route({
    method: 'POST',
    path: '/products/:id/stock',
    tag,
    summary: 'Adds to the stock or takes from it, never what is not there or is reserved.',
    needs: 'products.edit',
    params: ById,
    body: StockChange,
    answer: ProductMessage,
    run: async (ctx, { params, body: { reason = 'adjusted', ...change } }) => ({
      message: 'The stock was changed.',
      product: await moveStock(ctx, params, { reason, ...change }),
    }),
  }),
  route({
    method: 'POST',
    path: '/products/:id/reservations',
    tag,
    summary: 'Reserves pieces for some time.',
    needs: 'products.edit',
    params: ById,
    body: NewReservation,
    status: 201,
    answer: ReservationMessage,
    run: async (ctx, { params, body }) => ({
      message: 'The pieces were reserved.',
      ...(await reserve(ctx, params, body)),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/products/:id/reservations/:reservation',
    tag,
    summary: 'Gives reserved pieces back.',
    needs: 'products.edit',
    params: ByReservation,
    answer: ProductMessage,
    run: async (ctx, { params }) => ({
      message: 'The reservation was released.',
      product: await endReservation(ctx, params, 'release'),
    }),
  }),
  route({
    method: 'POST',
    path: '/products/:id/reservations/:reservation/commit',
    tag,
    summary: 'Takes reserved pieces from the stock: they are sold.',
    needs: 'products.edit',
    params: ByReservation,
    answer: ProductMessage,
    run: async (ctx, { params }) => ({
      message: 'The reserved pieces were taken from the stock.',
      product: await endReservation(ctx, params, 'commit'),
    }),
  }),
  route({
    method: 'GET',
    path: '/products/:id/movements',
    tag,
    summary: "What has happened to a product's stock, the newest first.",
    needs: 'products.view',
    params: ById,
    query: Paging,
    answer: MovementPage,
    run: async (ctx, { params, query }) => {
      const { id } = await getProduct(ctx, params);
      return listMovements(ctx, { id }, query);
    },
  }),
];

import { action, type Ctx, sql } from '@chowk/kit';
import { Product, ProductByExternalId, ProductBySku } from './schemas.ts';

const upserted = {
  needs: ['products.create', 'products.edit'],
  key: 'product',
  output: Product,
  create: 'products.create',
  update: 'products.update',
  errors: [
    'http.precondition_failed',
    'products.insufficient_stock',
    'products.insufficient_at_location',
    'products.has_reservations',
  ],
};

export const upsertActions = {
  'products.upsertByExternalId': action.upsert({
    summary: 'Create or update a product by external id',
    description: 'The path has the id on another platform. Fields that are not sent do not change.',
    http: 'PUT /products/by-external-id/:platform/:external_id',
    ...upserted,
    input: ProductByExternalId,
    find: findByExternalId,
    newRecord: ({ platform, external_id, external_ids, ...fields }) => ({
      ...fields,
      external_ids: { ...external_ids, [platform]: external_id },
    }),
    changes: ({ platform, external_id, external_ids, ...fields }) => ({
      ...fields,
      ...(external_ids ? { external_ids: { ...external_ids, [platform]: external_id } } : {}),
    }),
  }),
  'products.upsertBySku': action.upsert({
    summary: 'Create or update a product by SKU',
    description: 'The SKU of one of its variants. Fields that are not sent do not change.',
    http: 'PUT /products/by-sku/:sku',
    ...upserted,
    input: ProductBySku,
    find: findBySku,
    newRecord: (fields) => fields,
    changes: ({ sku: _, ...fields }) => fields,
  }),
};

async function findByExternalId(
  ctx: Ctx,
  { platform, external_id }: { readonly platform: string; readonly external_id: string },
): Promise<string | undefined> {
  const found = await ctx.db.row<{ id: string }>(sql`
    SELECT record_id AS id FROM product_external_ids
    WHERE kind = 'product' AND platform = ${platform} AND external_id = ${external_id}`);
  return found?.id;
}

async function findBySku(ctx: Ctx, { sku }: { readonly sku: string }): Promise<string | undefined> {
  const found = await ctx.db.row<{ id: string }>(sql`
    SELECT product_id AS id FROM product_variants WHERE sku_key = lower(${sku}) AND deleted_at IS NULL`);
  return found?.id;
}

import { filter, type Sql, splitList, sql, Type } from '@chowk/kit';
import { Metadata } from './variant-schemas.ts';

export const Skus = Type.Array(Type.String({ maxLength: 6_600 }), {
  maxItems: 100,
  description: 'SKUs of variants, separated by commas.',
  examples: [['TEA-250', 'TEA-500']],
});

/** Whether a row of `product_variants v` has one of the SKUs. One that contains a comma is sent as a parameter of its own. */
export function hasSku(texts: readonly string[]): Sql {
  const skus = [...texts, ...splitList(texts)];
  return sql`v.deleted_at IS NULL AND v.sku_key IN (SELECT lower(sku) FROM unnest(${skus}::text[]) AS sku)`;
}

const MetadataQuery = {
  ...Metadata,
  description: 'Records with all of these values, such as `metadata[supplier]=Nilgiri`.',
} as typeof Metadata;

/** The comparison with an empty object is that of the index. */
export function metadataFilter(column: Sql) {
  return filter(MetadataQuery, (values) =>
    Object.keys(values).length === 0
      ? undefined
      : sql`${column} <> '{}' AND ${column} @> ${JSON.stringify(values)}::jsonb`,
  );
}

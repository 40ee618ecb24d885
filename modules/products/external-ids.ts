import { filter, invalid, type Sql, sql, Type } from '@chowk/kit';

const ExternalIdQuery = Type.String({
  maxLength: 310,
  description: 'Platform and id, separated by a colon.',
  examples: ['shopify:7712'],
});

/** The record with this id on another platform. */
export function externalIdFilter(kind: 'product' | 'variant', id: Sql) {
  return filter(ExternalIdQuery, (text) => {
    const colon = text.indexOf(':');
    if (colon < 1) throw invalid({ external_id: 'Write platform and id, separated by a colon: shopify:7712.' });
    const [platform, externalId] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    return sql`${id} = (
      SELECT record_id FROM product_external_ids
      WHERE kind = ${kind} AND platform = ${platform} AND external_id = ${externalId})`;
  });
}

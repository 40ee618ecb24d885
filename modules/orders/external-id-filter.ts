import { filter, invalid, sql, Type } from '@chowk/kit';

const ExternalIdQuery = Type.String({
  maxLength: 310,
  description: 'Platform and id, separated by a colon.',
  examples: ['shopify:5001'],
});

/** The order with this id on another platform. */
export const byExternalId = filter(ExternalIdQuery, (text) => {
  const colon = text.indexOf(':');
  if (colon < 1) throw invalid({ external_id: 'Write platform and id, separated by a colon: shopify:5001.' });
  const [platform, externalId] = [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
  return sql`o.id = (SELECT order_id FROM order_external_ids WHERE platform = ${platform} AND external_id = ${externalId})`;
});

/* The guides at `/docs`, by the pages that they are about. */

interface Guide {
  readonly title: string;
  readonly href: string;
}

/** The beginning of the address of a page, the name of the guide, and its title. A longer beginning comes first. */
const guides: readonly (readonly [path: string, name: string, title: string])[] = [
  ['/developers/webhooks', 'webhooks', 'Webhooks'],
  ['/developers/graphql', 'graphql', 'GraphQL'],
  ['/developers/apps', 'apps', 'Apps'],
  ['/developers/sandboxes', 'first-call', 'The first call'],
  ['/developers/tools', 'first-call', 'The first call'],
  ['/developers', 'credentials', 'Credentials'],
  ['/settings/payments', 'payments', 'Payments'],
  ['/settings/invoices', 'invoices', 'Invoices'],
  ['/settings/channels', 'conversations', 'Conversations'],
  ['/settings/inbox', 'conversations', 'Conversations'],
  ['/settings/widget', 'conversations', 'Conversations'],
  ['/settings/security', 'credentials', 'Credentials'],
  ['/settings/other', 'agents', 'AI agents'],
  ['/conversations', 'conversations', 'Conversations'],
  ['/orders', 'storefront-orders', 'Orders from a storefront'],
  ['/discounts', 'storefront-orders', 'Orders from a storefront'],
  ['/customers', 'syncing', 'Keeping systems in sync'],
  ['/products', 'syncing', 'Keeping systems in sync'],
  ['/reports', 'syncing', 'Keeping systems in sync'],
  ['/notifications', 'realtime', 'Live updates'],
  ['/rules', 'webhooks', 'Webhooks'],
  ['/team', 'credentials', 'Credentials'],
  ['/profile', 'credentials', 'Credentials'],
  ['/activity', 'limits-and-errors', 'Limits and errors'],
];

export function findGuide(path: string): Guide {
  const [, name, title] = guides.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  return name === undefined
    ? { title: 'All guides', href: '/docs/' }
    : { title: `Guide: ${title}`, href: `/docs/${name}` };
}

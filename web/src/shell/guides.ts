/* The guides at `/docs`, by the pages that they are about. */

interface Guide {
  readonly title: string;
  readonly href: string;
}

/** The beginning of the address of a page, the name of the guide, and its title. A longer beginning comes first. */
const guides: readonly (readonly [path: string, name: string, title: string])[] = [
  ['/orders', 'orders', 'Orders'],
  ['/customers', 'customers', 'Customers'],
  ['/products', 'products-and-stock', 'Products and stock'],
  ['/discounts', 'discounts-shipping-taxes', 'Discounts, shipping and taxes'],
  ['/conversations', 'conversations', 'Conversations'],
  ['/reports', 'reports', 'Reports'],
  ['/notifications', 'rules-and-messages', 'Rules and messages'],
  ['/rules', 'rules-and-messages', 'Rules and messages'],
  ['/applications', 'resellers', 'Resellers'],
  ['/codes', 'resellers', 'Resellers'],
  ['/tenants', 'resellers', 'Resellers'],
  ['/team', 'team-and-security', 'Team and security'],
  ['/activity', 'team-and-security', 'Team and security'],
  ['/profile', 'team-and-security', 'Team and security'],
  ['/modules', 'settings', 'Settings and modules'],
  ['/developers/webhooks', 'webhooks', 'Webhooks'],
  ['/developers/graphql', 'graphql', 'GraphQL'],
  ['/developers/apps', 'apps', 'Apps'],
  ['/developers/sandboxes', 'first-call', 'First call'],
  ['/developers/tools', 'first-call', 'First call'],
  ['/developers', 'credentials', 'Credentials'],
  ['/platform/rings', 'rings', 'Rings'],
  ['/platform/modules', 'modules-lifecycle', 'Modules'],
  ['/platform', 'operating', 'Operating'],
  ['/settings/security', 'team-and-security', 'Team and security'],
  ['/settings/checkout', 'orders', 'Orders'],
  ['/settings/customers', 'customers', 'Customers'],
  ['/settings/taxes', 'discounts-shipping-taxes', 'Discounts, shipping and taxes'],
  ['/settings/shipping', 'discounts-shipping-taxes', 'Discounts, shipping and taxes'],
  ['/settings/payments', 'payments', 'Payments'],
  ['/settings/invoices', 'invoices', 'Invoices'],
  ['/settings/channels', 'conversations', 'Conversations'],
  ['/settings/inbox', 'conversations', 'Conversations'],
  ['/settings/mails', 'rules-and-messages', 'Rules and messages'],
  ['/settings/widget', 'conversations', 'Conversations'],
  ['/settings', 'settings', 'Settings and modules'],
];

/** Every guide lists all others beside it. */
const first = '/docs/console';

export function findGuide(path: string): Guide {
  if (path === '/') return { title: 'Guide: The console', href: first };
  const [, name, title] = guides.find(([start]) => path === start || path.startsWith(`${start}/`)) ?? [];
  return name === undefined
    ? { title: 'All guides', href: first }
    : { title: `Guide: ${title}`, href: `/docs/${name}` };
}

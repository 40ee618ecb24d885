/** A guide and the Markdown file that it comes from, below `docs/`. */
interface Guide {
  readonly name: string;
  readonly title: string;
  readonly file: string;
}

interface Section {
  readonly title: string;
  readonly guides: readonly Guide[];
}

const guide = (name: string, title: string): Guide => ({ name, title, file: `guides/${name}.md` });
const document = (name: string, title: string): Guide => ({ name, title, file: `${name}.md` });
const merchantGuide = (name: string, title: string): Guide => ({ name, title, file: `merchants/${name}.md` });

export const sections: readonly Section[] = [
  {
    title: 'Start',
    guides: [
      guide('first-call', 'First call'),
      guide('credentials', 'Credentials'),
      guide('limits-and-errors', 'Limits and errors'),
      document('errors', 'Error codes'),
      guide('versions', 'Versions'),
    ],
  },
  {
    title: 'Build',
    guides: [
      guide('syncing', 'Sync with another system'),
      guide('webhooks', 'Webhooks'),
      guide('storefront-orders', 'Orders from a storefront'),
      guide('realtime', 'Realtime'),
      guide('graphql', 'GraphQL'),
      guide('apps', 'Apps'),
      guide('agents', 'Agents'),
    ],
  },
  {
    title: 'Write modules',
    guides: [document('module-with-a-page', 'A module with a page'), document('testing-a-module', 'Testing a module')],
  },
  {
    title: 'Run a shop',
    guides: [
      merchantGuide('console', 'The console'),
      merchantGuide('orders', 'Orders'),
      document('payments', 'Payments'),
      document('invoices', 'Invoices'),
      merchantGuide('products-and-stock', 'Products and stock'),
      merchantGuide('customers', 'Customers'),
      document('conversations', 'Conversations'),
      merchantGuide('rules-and-messages', 'Rules and messages'),
      merchantGuide('discounts-shipping-taxes', 'Discounts, shipping and taxes'),
      merchantGuide('reports', 'Reports'),
      merchantGuide('team-and-security', 'Team and security'),
      merchantGuide('settings', 'Settings and modules'),
      merchantGuide('resellers', 'Resellers'),
    ],
  },
  {
    title: 'Run the platform',
    guides: [
      document('production', 'Production, step by step'),
      document('operating', 'Operating'),
      document('configuration', 'Configuration'),
      document('rings', 'Rings'),
      document('scaling', 'Scaling'),
      document('modules-lifecycle', 'Modules'),
    ],
  },
];

export const guides: readonly Guide[] = sections.flatMap((section) => section.guides);

/** The address of a guide for a link between Markdown files; other files of the repository have none. */
export function guideAddress(target: string): string | undefined {
  if (/^(https?:|#|\/)/.test(target)) return target;
  const [path = '', anchor] = target.split('#');
  const name = path.split('/').at(-1)?.replace(/\.md$/, '');
  const known = path.endsWith('.md') && guides.some((one) => one.name === name);
  return known ? `/docs/${name}${anchor === undefined ? '' : `#${anchor}`}` : undefined;
}

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { searchKeys } from './customer-list.ts';

const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  validateSearch: pick(...searchKeys),
  component: lazyPage(() => import('./customers-page.tsx'), 'CustomersPage'),
});

const customer = createRoute({
  getParentRoute: () => customers,
  path: '$id',
  validateSearch: pick('tab', 'edit'),
  component: lazyPage(() => import('./customer-panel.tsx'), 'CustomerPanel'),
});

const newCustomer = createRoute({
  getParentRoute: () => customers,
  path: 'new',
  component: lazyPage(() => import('./new-customer.tsx'), 'NewCustomer'),
});

const merge = createRoute({
  getParentRoute: () => shell,
  path: '/customers/merge',
  validateSearch: pick('primary', 'secondary'),
  component: lazyPage(() => import('./merge-page.tsx'), 'MergePage'),
});

export const customerRoutes = [customers.addChildren([customer, newCustomer]), merge] as const;

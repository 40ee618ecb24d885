import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';
import { searchKeys } from './customer-list.ts';

const customers = createRoute({
  getParentRoute: () => shell,
  path: '/customers',
  validateSearch: pick(...searchKeys),
  component: lazyRouteComponent(() => import('./customers-page.tsx'), 'CustomersPage'),
});

const customer = createRoute({
  getParentRoute: () => customers,
  path: '$id',
  component: lazyRouteComponent(() => import('./customer-panel.tsx'), 'CustomerPanel'),
});

export const customerRoutes = [customers.addChildren([customer])] as const;

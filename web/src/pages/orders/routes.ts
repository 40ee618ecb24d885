import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { searchKeys } from './order-list.ts';

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  validateSearch: pick(...searchKeys),
  component: lazyPage(() => import('./orders-page.tsx'), 'OrdersPage'),
});

const order = createRoute({
  getParentRoute: () => orders,
  path: '$id',
  component: lazyPage(() => import('./order-panel.tsx'), 'OrderPanel'),
});

const newOrder = createRoute({
  getParentRoute: () => shell,
  path: '/orders/new',
  validateSearch: pick('customer'),
  component: lazyPage(() => import('./new-order-page.tsx'), 'NewOrderPage'),
});

export const orderRoutes = [orders.addChildren([order]), newOrder] as const;

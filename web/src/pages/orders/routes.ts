import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';
import { searchKeys } from './order-list.ts';

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  validateSearch: pick(...searchKeys),
  component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
});

const order = createRoute({
  getParentRoute: () => orders,
  path: '$id',
  component: lazyRouteComponent(() => import('./order-panel.tsx'), 'OrderPanel'),
});

const newOrder = createRoute({
  getParentRoute: () => shell,
  path: '/orders/new',
  validateSearch: pick('customer'),
  component: lazyRouteComponent(() => import('./new-order-page.tsx'), 'NewOrderPage'),
});

export const orderRoutes = [orders.addChildren([order]), newOrder] as const;

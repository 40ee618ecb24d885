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

const drafts = createRoute({
  getParentRoute: () => shell,
  path: '/orders/drafts',
  validateSearch: pick('is_placed', 'search'),
  component: lazyPage(() => import('./drafts-page.tsx'), 'DraftsPage'),
});

const draft = createRoute({
  getParentRoute: () => shell,
  path: '/orders/drafts/$id',
  component: lazyPage(() => import('./draft-page.tsx'), 'DraftPage'),
});

export const orderRoutes = [orders.addChildren([order]), newOrder, drafts, draft] as const;

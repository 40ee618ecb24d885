import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

const orders = createRoute({
  getParentRoute: () => shell,
  path: '/orders',
  component: lazyRouteComponent(() => import('./orders-page.tsx'), 'OrdersPage'),
});

export const orderRoutes = [orders] as const;

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
});

export const productRoutes = [products] as const;

import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';
import { searchKeys } from './product-list.ts';

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  validateSearch: pick(...searchKeys),
  component: lazyRouteComponent(() => import('./products-page.tsx'), 'ProductsPage'),
});

const product = createRoute({
  getParentRoute: () => products,
  path: '$id',
  component: lazyRouteComponent(() => import('./product-panel.tsx'), 'ProductPanel'),
});

const newProduct = createRoute({
  getParentRoute: () => products,
  path: 'new',
  component: lazyRouteComponent(() => import('./new-product.tsx'), 'NewProductPanel'),
});

const productImport = createRoute({
  getParentRoute: () => shell,
  path: '/products/import',
  component: lazyRouteComponent(() => import('./import-page.tsx'), 'ImportPage'),
});

export const productRoutes = [products.addChildren([product, newProduct]), productImport] as const;

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { searchKeys } from './product-list.ts';

const products = createRoute({
  getParentRoute: () => shell,
  path: '/products',
  validateSearch: pick(...searchKeys),
  component: lazyPage(() => import('./products-page.tsx'), 'ProductsPage'),
});

const product = createRoute({
  getParentRoute: () => products,
  path: '$id',
  component: lazyPage(() => import('./product-panel.tsx'), 'ProductPanel'),
});

const newProduct = createRoute({
  getParentRoute: () => products,
  path: 'new',
  component: lazyPage(() => import('./new-product.tsx'), 'NewProductPanel'),
});

const productImport = createRoute({
  getParentRoute: () => shell,
  path: '/products/import',
  component: lazyPage(() => import('./import-page.tsx'), 'ImportPage'),
});

const variants = createRoute({
  getParentRoute: () => shell,
  path: '/products/$id/variants',
  component: lazyPage(() => import('./variants-page.tsx'), 'VariantsPage'),
});

export const productRoutes = [products.addChildren([product, newProduct]), variants, productImport] as const;

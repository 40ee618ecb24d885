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

const collections = createRoute({
  getParentRoute: () => shell,
  path: '/products/collections',
  validateSearch: pick('search', 'sort_by', 'sort_order'),
  component: lazyPage(() => import('./collections-page.tsx'), 'CollectionsPage'),
});

const collection = createRoute({
  getParentRoute: () => collections,
  path: '$id',
  component: lazyPage(() => import('./collection-panel.tsx'), 'CollectionPanel'),
});

const newCollection = createRoute({
  getParentRoute: () => collections,
  path: 'new',
  component: lazyPage(() => import('./collection-panel.tsx'), 'NewCollectionPanel'),
});

const locations = createRoute({
  getParentRoute: () => shell,
  path: '/products/locations',
  component: lazyPage(() => import('./locations-page.tsx'), 'LocationsPage'),
});

const transfer = createRoute({
  getParentRoute: () => shell,
  path: '/products/transfer',
  validateSearch: pick('product'),
  component: lazyPage(() => import('./transfer-page.tsx'), 'TransferPage'),
});

export const productRoutes = [
  products.addChildren([product, newProduct]),
  variants,
  collections.addChildren([collection, newCollection]),
  locations,
  transfer,
  productImport,
] as const;

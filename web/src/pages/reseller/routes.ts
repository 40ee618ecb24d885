import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { listSearch as applicationSearch } from './application-list.ts';
import { listSearch as codeSearch } from './code-list.ts';
import { listSearch as tenantSearch } from './tenant-list.ts';

const applications = createRoute({
  getParentRoute: () => shell,
  path: '/applications',
  validateSearch: applicationSearch,
  component: lazyPage(() => import('./applications-page.tsx'), 'ApplicationsPage'),
});

const application = createRoute({
  getParentRoute: () => applications,
  path: '$id',
  component: lazyPage(() => import('./application-panel.tsx'), 'ApplicationPanel'),
});

const codes = createRoute({
  getParentRoute: () => shell,
  path: '/codes',
  validateSearch: codeSearch,
  component: lazyPage(() => import('./codes-page.tsx'), 'CodesPage'),
});

const code = createRoute({
  getParentRoute: () => codes,
  path: '$id',
  component: lazyPage(() => import('./code-panel.tsx'), 'CodePanel'),
});

const newCode = createRoute({
  getParentRoute: () => codes,
  path: 'new',
  component: lazyPage(() => import('./new-code.tsx'), 'NewCodePanel'),
});

const tenants = createRoute({
  getParentRoute: () => shell,
  path: '/tenants',
  validateSearch: tenantSearch,
  component: lazyPage(() => import('./tenants-page.tsx'), 'TenantsPage'),
});

const catalogue = createRoute({
  getParentRoute: () => shell,
  path: '/tenants/products',
  component: lazyPage(() => import('./catalogue-page.tsx'), 'CataloguePage'),
});

export const resellerRoutes = [
  applications.addChildren([application]),
  codes.addChildren([code, newCode]),
  tenants,
  catalogue,
] as const;

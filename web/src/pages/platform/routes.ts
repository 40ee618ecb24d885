import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { listSearch } from './tenant-list.ts';

const tenants = createRoute({
  getParentRoute: () => shell,
  path: '/platform',
  validateSearch: listSearch,
  component: lazyPage(() => import('./tenants-page.tsx'), 'PlatformTenantsPage'),
});

const tenant = createRoute({
  getParentRoute: () => tenants,
  path: 'tenants/$id',
  component: lazyPage(() => import('./tenant-panel.tsx'), 'PlatformTenantPanel'),
});

const rings = createRoute({
  getParentRoute: () => shell,
  path: '/platform/rings',
  component: lazyPage(() => import('./rings-page.tsx'), 'RingsPage'),
});

const ring = createRoute({
  getParentRoute: () => rings,
  path: '$name',
  component: lazyPage(() => import('./ring-panel.tsx'), 'RingPanel'),
});

const modules = createRoute({
  getParentRoute: () => shell,
  path: '/platform/modules',
  component: lazyPage(() => import('./modules-page.tsx'), 'PlatformModulesPage'),
});

const promotion = createRoute({
  getParentRoute: () => modules,
  path: '$alias',
  validateSearch: pick('from', 'to'),
  component: lazyPage(() => import('./promote-panel.tsx'), 'PromotePanel'),
});

const jobs = createRoute({
  getParentRoute: () => shell,
  path: '/platform/jobs',
  validateSearch: pick('show'),
  component: lazyPage(() => import('./jobs-page.tsx'), 'JobsPage'),
});

const health = createRoute({
  getParentRoute: () => shell,
  path: '/platform/health',
  component: lazyPage(() => import('./health-page.tsx'), 'HealthPage'),
});

const releases = createRoute({
  getParentRoute: () => shell,
  path: '/platform/releases',
  component: lazyPage(() => import('./releases-page.tsx'), 'ReleasesPage'),
});

export const platformRoutes = [
  tenants.addChildren([tenant]),
  rings.addChildren([ring]),
  modules.addChildren([promotion]),
  jobs,
  health,
  releases,
] as const;

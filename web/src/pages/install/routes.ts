import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { mustNotBeInstalled } from '../../installed.ts';
import { root } from '../../routes.ts';

export const install = createRoute({
  getParentRoute: () => root,
  path: '/install',
  beforeLoad: mustNotBeInstalled,
  component: lazyRouteComponent(() => import('./install-page.tsx'), 'InstallPage'),
});

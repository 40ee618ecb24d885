import { createRoute } from '@tanstack/react-router';
import { mustNotBeInstalled } from '../../installed.ts';
import { lazyPage } from '../../lazy-page.tsx';
import { root } from '../../routes.ts';

export const install = createRoute({
  getParentRoute: () => root,
  path: '/install',
  beforeLoad: mustNotBeInstalled,
  component: lazyPage(() => import('./install-page.tsx'), 'InstallPage'),
});

import { createRoute } from '@tanstack/react-router';
import { root } from '../../routes.ts';
import { requireNotInstalled } from '../../routing/installation.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';

export const install = createRoute({
  getParentRoute: () => root,
  path: '/install',
  beforeLoad: requireNotInstalled,
  component: lazyPage(() => import('./install-page.tsx'), 'InstallPage'),
});

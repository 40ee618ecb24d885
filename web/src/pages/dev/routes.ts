import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../routes.ts';

/** The platform serves it in the environment `local` only. */
export const ui = createRoute({
  getParentRoute: () => root,
  path: '/dev/ui',
  component: lazyRouteComponent(() => import('./ui-page.tsx'), 'UiPage'),
});

import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lazy-page.tsx';
import { root } from '../../routes.ts';

/** The platform serves it in the environment `local` only. */
export const ui = createRoute({
  getParentRoute: () => root,
  path: '/dev/ui',
  component: lazyPage(() => import('./ui-page.tsx'), 'UiPage'),
});

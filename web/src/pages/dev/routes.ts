import { createRoute } from '@tanstack/react-router';
import { root } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';

/** The platform serves it in the environment `local` only. */
export const ui = createRoute({
  getParentRoute: () => root,
  path: '/dev/ui',
  component: lazyPage(() => import('./ui-page.tsx'), 'UiPage'),
});

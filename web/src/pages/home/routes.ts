import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  validateSearch: pick('days', 'chart'),
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

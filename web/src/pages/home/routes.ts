import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

export const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./home-page.tsx'), 'HomePage'),
});

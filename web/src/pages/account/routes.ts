import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  validateSearch: pick('tab', 'open', 'page'),
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});

export const accountRoutes = [profile] as const;

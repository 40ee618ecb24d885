import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  component: lazyRouteComponent(() => import('./profile-page.tsx'), 'ProfilePage'),
});

export const accountRoutes = [profile] as const;

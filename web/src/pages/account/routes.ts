import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lazy-page.tsx';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  validateSearch: pick('tab', 'open', 'page'),
  component: lazyPage(() => import('./profile-page.tsx'), 'ProfilePage'),
});

export const accountRoutes = [profile] as const;

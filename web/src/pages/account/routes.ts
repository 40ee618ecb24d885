import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

const profile = createRoute({
  getParentRoute: () => shell,
  path: '/profile',
  validateSearch: pick('tab', 'open', 'page'),
  component: lazyPage(() => import('./profile-page.tsx'), 'ProfilePage'),
});

export const accountRoutes = [profile] as const;

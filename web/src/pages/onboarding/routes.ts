import { createRoute } from '@tanstack/react-router';
import { root } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

const apply = createRoute({
  getParentRoute: () => root,
  path: '/apply',
  validateSearch: pick('code'),
  component: lazyPage(() => import('./apply-page.tsx'), 'ApplyPage'),
});

const application = createRoute({
  getParentRoute: () => root,
  path: '/apply/$id',
  component: lazyPage(() => import('./application-page.tsx'), 'ApplicationPage'),
});

export const onboardingRoutes = [apply, application] as const;

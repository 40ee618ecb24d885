import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../routes.ts';
import { pick } from '../../search.ts';

const apply = createRoute({
  getParentRoute: () => root,
  path: '/apply',
  validateSearch: pick('code'),
  component: lazyRouteComponent(() => import('./apply-page.tsx'), 'ApplyPage'),
});

const application = createRoute({
  getParentRoute: () => root,
  path: '/apply/$id',
  component: lazyRouteComponent(() => import('./application-page.tsx'), 'ApplicationPage'),
});

export const onboardingRoutes = [apply, application] as const;

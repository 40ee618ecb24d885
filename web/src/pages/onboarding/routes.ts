import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from '../../routes.ts';

const apply = createRoute({
  getParentRoute: () => root,
  path: '/apply',
  component: lazyRouteComponent(() => import('./apply-page.tsx'), 'ApplyPage'),
});

export const onboardingRoutes = [apply] as const;

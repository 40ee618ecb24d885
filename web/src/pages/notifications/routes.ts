import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

const notifications = createRoute({
  getParentRoute: () => shell,
  path: '/notifications',
  component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});

export const notificationRoutes = [notifications] as const;

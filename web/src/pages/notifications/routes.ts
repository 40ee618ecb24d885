import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

const notifications = createRoute({
  getParentRoute: () => shell,
  path: '/notifications',
  validateSearch: pick('unread', 'type', 'severity'),
  component: lazyRouteComponent(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});

const preferences = createRoute({
  getParentRoute: () => shell,
  path: '/notifications/preferences',
  component: lazyRouteComponent(() => import('./preferences-page.tsx'), 'PreferencesPage'),
});

export const notificationRoutes = [notifications, preferences] as const;

import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lazy-page.tsx';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

const notifications = createRoute({
  getParentRoute: () => shell,
  path: '/notifications',
  validateSearch: pick('unread', 'type', 'severity'),
  component: lazyPage(() => import('./notifications-page.tsx'), 'NotificationsPage'),
});

const preferences = createRoute({
  getParentRoute: () => shell,
  path: '/notifications/preferences',
  component: lazyPage(() => import('./preferences-page.tsx'), 'PreferencesPage'),
});

export const notificationRoutes = [notifications, preferences] as const;

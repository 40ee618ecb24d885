import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

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

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

const settings = createRoute({
  getParentRoute: () => shell,
  path: '/settings',
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsIndex'),
});

/** `edit` is the record whose form is open. */
const settingsPage = createRoute({
  getParentRoute: () => shell,
  path: '/settings/$page',
  validateSearch: pick('edit'),
  component: lazyPage(() => import('./settings-page.tsx'), 'SettingsPage'),
});

export const settingsRoutes = [settings, settingsPage] as const;

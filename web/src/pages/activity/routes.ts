import { createRoute, redirect } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { accountSearch, changeSearch } from './activity-search.ts';

const changes = createRoute({
  getParentRoute: () => shell,
  path: '/activity',
  validateSearch: changeSearch,
  component: lazyPage(() => import('./changes-page.tsx'), 'ChangesPage'),
});

/** The id is that of the request. */
const change = createRoute({
  getParentRoute: () => changes,
  path: '$id',
  component: lazyPage(() => import('./change-panel.tsx'), 'ChangePanel'),
});

const accounts = createRoute({
  getParentRoute: () => shell,
  path: '/activity/accounts',
  validateSearch: accountSearch,
  component: lazyPage(() => import('./accounts-page.tsx'), 'AccountsPage'),
});

const audit = createRoute({
  getParentRoute: () => shell,
  path: '/audit',
  beforeLoad: () => {
    throw redirect({ to: '/activity', replace: true });
  },
});

export const activityRoutes = [changes.addChildren([change]), accounts, audit] as const;

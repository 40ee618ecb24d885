import { createRoute, redirect } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

/** What the address of the changes can have. */
export const changeSearch = pick('user_id', 'resource', 'resource_id', 'outcome', 'from', 'to', 'sort_order');

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

export const accountSearch = pick('user_id', 'from', 'to', 'sort_order');

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

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { memberSearch } from './member-search.ts';

const members = createRoute({
  getParentRoute: () => shell,
  path: '/team',
  validateSearch: memberSearch,
  component: lazyPage(() => import('./members-page.tsx'), 'MembersPage'),
});

const member = createRoute({
  getParentRoute: () => members,
  path: '$id',
  component: lazyPage(() => import('./member-panel.tsx'), 'MemberPanel'),
});

const invitations = createRoute({
  getParentRoute: () => shell,
  path: '/team/invitations',
  validateSearch: pick('open'),
  component: lazyPage(() => import('./invitations-page.tsx'), 'InvitationsPage'),
});

const roles = createRoute({
  getParentRoute: () => shell,
  path: '/team/roles',
  component: lazyPage(() => import('./roles-page.tsx'), 'RolesPage'),
});

const role = createRoute({
  getParentRoute: () => roles,
  path: '$id',
  component: lazyPage(() => import('./role-panel.tsx'), 'RolePanel'),
});

/** `copy` is the role whose permissions it begins with. */
const newRole = createRoute({
  getParentRoute: () => roles,
  path: 'new',
  validateSearch: pick('copy'),
  component: lazyPage(() => import('./role-panel.tsx'), 'NewRolePanel'),
});

export const teamRoutes = [members.addChildren([member]), invitations, roles.addChildren([role, newRole])] as const;

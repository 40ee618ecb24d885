import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { mustBeSignedIn, root } from '../../routes.ts';
import { pick } from '../../search.ts';
import { sessionState } from '../../session.ts';

/** Only a path of the console: another address could be a copy of the sign-in page. */
function readNext({ next }: Record<string, unknown>): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readNext,
  beforeLoad({ search: { next = '/' } }) {
    if (sessionState() === 'signed-in') throw redirect({ href: next, replace: true });
  },
  component: lazyRouteComponent(() => import('./login-page.tsx'), 'LoginPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./forgot-password-page.tsx'), 'ForgotPasswordPage'),
});

const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  validateSearch: pick('user_code'),
  beforeLoad: mustBeSignedIn,
  component: lazyRouteComponent(() => import('./device-page.tsx'), 'DevicePage'),
});

/** What needs no tenant: signing in and what leads to it. */
export const entryRoutes = [login, forgotPassword, device] as const;

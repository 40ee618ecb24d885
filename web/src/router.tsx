import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { mustBeInstalled, mustNotBeInstalled } from './installed.ts';
import { ErrorPage } from './pages/error-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { sessionState } from './session.ts';

const root = createRootRoute({
  async beforeLoad({ location: { pathname } }) {
    if (sessionState() === 'signed-out' && pathname !== '/install') await mustBeInstalled();
  },
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

/** Only a path of the console: another address could be a copy of the sign-in page. */
function readNext({ next }: Record<string, unknown>): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}

const install = createRoute({
  getParentRoute: () => root,
  path: '/install',
  beforeLoad: mustNotBeInstalled,
  component: lazyRouteComponent(() => import('./pages/install-page.tsx'), 'InstallPage'),
});

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: readNext,
  beforeLoad({ search: { next = '/' } }) {
    if (sessionState() === 'signed-in') throw redirect({ to: next, replace: true });
  },
  component: lazyRouteComponent(() => import('./pages/login-page.tsx'), 'LoginPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyRouteComponent(() => import('./pages/forgot-password-page.tsx'), 'ForgotPasswordPage'),
});

function mustBeSignedIn({ location: { href } }: { readonly location: { readonly href: string } }): void {
  if (sessionState() !== 'signed-out') return;
  throw redirect({ to: '/login', search: href === '/' ? {} : { next: href }, replace: true });
}

const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  validateSearch: ({ user_code }: Record<string, unknown>): { user_code?: string } =>
    typeof user_code === 'string' ? { user_code } : {},
  beforeLoad: mustBeSignedIn,
  component: lazyRouteComponent(() => import('./pages/device-page.tsx'), 'DevicePage'),
});

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: mustBeSignedIn,
  component: lazyRouteComponent(() => import('./shell/shell.tsx'), 'Shell'),
});

const home = createRoute({
  getParentRoute: () => shell,
  path: '/',
  component: lazyRouteComponent(() => import('./pages/home-page.tsx'), 'HomePage'),
});

/** The platform serves it in the environment `local` only. */
const ui = createRoute({
  getParentRoute: () => root,
  path: '/dev/ui',
  component: lazyRouteComponent(() => import('./pages/ui-page.tsx'), 'UiPage'),
});

export const router = createRouter({
  routeTree: root.addChildren([install, login, forgotPassword, device, ui, shell.addChildren([home])]),
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

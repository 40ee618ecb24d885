import { createRootRoute, createRoute, notFound, redirect, rootRouteId } from '@tanstack/react-router';
import { ErrorPage } from './pages/error-page.tsx';
import { NotFoundPage } from './pages/not-found-page.tsx';
import { requireInstalled } from './routing/installation.ts';
import { lazyPage } from './routing/lazy-page.tsx';
import { sessionState } from './session/session.ts';

export const root = createRootRoute({
  async beforeLoad({ location: { pathname } }) {
    if (sessionState() === 'signed-out' && pathname !== '/install') await requireInstalled();
  },
  notFoundComponent: NotFoundPage,
  errorComponent: ErrorPage,
});

export function requireSignedIn({ location: { href } }: { readonly location: { readonly href: string } }): void {
  if (sessionState() !== 'signed-out') return;
  throw redirect({ to: '/login', search: href === '/' ? {} : { next: href }, replace: true });
}

const Shell = lazyPage(() => import('./shell/shell.tsx'), 'Shell');

/** The parent of all pages of a session. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: requireSignedIn,
  component: Shell,
  errorComponent: ErrorPage,
});

/** Every other address. In a session it is within the shell, from which the other pages can be opened. */
const unknown = createRoute({
  getParentRoute: () => root,
  id: 'unknown',
  beforeLoad: () => {
    if (sessionState() === 'signed-out') throw notFound({ routeId: rootRouteId });
  },
  component: Shell,
  errorComponent: ErrorPage,
});

const unknownPage = createRoute({
  getParentRoute: () => unknown,
  path: '$',
  component: lazyPage(() => import('./shell/unknown-page.tsx'), 'UnknownPage'),
});

export const unknownRoutes = unknown.addChildren([unknownPage]);

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

interface Visit {
  readonly location: { readonly href: string };
  readonly matches?: readonly { readonly routeId: unknown }[];
}

export function requireSignedIn({ location: { href }, matches }: Visit): void {
  if (sessionState() !== 'signed-out') return;
  if (matches?.some(({ routeId }) => routeId === '/shell/$')) throw notFound({ routeId: rootRouteId });
  throw redirect({ to: '/login', search: href === '/' ? {} : { next: href }, replace: true });
}

/** The parent of all pages of a session. */
export const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: requireSignedIn,
  component: lazyPage(() => import('./shell/shell.tsx'), 'Shell'),
  errorComponent: ErrorPage,
});

/** Every other address, within the shell: the other pages can still be opened. */
export const unknownPage = createRoute({
  getParentRoute: () => shell,
  path: '$',
  component: lazyPage(() => import('./shell/unknown-page.tsx'), 'UnknownPage'),
});

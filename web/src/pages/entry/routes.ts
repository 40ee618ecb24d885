import { createRoute, redirect } from '@tanstack/react-router';
import { requireSignedIn, root } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { anonymous, api, sessionState } from '../../session/session.ts';
import { openLink } from './opened-link.ts';

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
  component: lazyPage(() => import('./login-page.tsx'), 'LoginPage'),
});

const forgotPassword = createRoute({
  getParentRoute: () => root,
  path: '/forgot-password',
  component: lazyPage(() => import('./forgot-password-page.tsx'), 'ForgotPasswordPage'),
});

const device = createRoute({
  getParentRoute: () => root,
  path: '/device',
  validateSearch: pick('user_code'),
  beforeLoad: requireSignedIn,
  component: lazyPage(() => import('./device-page.tsx'), 'DevicePage'),
});

const readRequest = pick(
  'problem',
  'client_id',
  'redirect_uri',
  'response_type',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
);

/** Without a session, only a problem is shown. */
const authorize = createRoute({
  getParentRoute: () => root,
  path: '/authorize',
  validateSearch: readRequest,
  beforeLoad: ({ search: { problem }, location }) => {
    if (problem === undefined) requireSignedIn({ location });
  },
  component: lazyPage(() => import('./authorize-page.tsx'), 'AuthorizePage'),
});

/* The links of mails. Opening one changes nothing: mail programs open links too. */

const resetPassword = createRoute({
  getParentRoute: () => root,
  path: '/password/reset/$token',
  loader: ({ params }) => openLink(anonymous.password.previewReset(params)),
  component: lazyPage(() => import('./reset-password-page.tsx'), 'ResetPasswordPage'),
});

const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitations/$token',
  loader: ({ params: { token } }) => openLink(anonymous.invitations.get({ invitation: token })),
  component: lazyPage(() => import('./invitation-page.tsx'), 'InvitationPage'),
});

const verifyEmail = createRoute({
  getParentRoute: () => root,
  path: '/email/verify/$id/$hash',
  validateSearch: pick('tenant', 'expires', 'signature'),
  loaderDeps: ({ search }) => search,
  async loader({ params, deps }) {
    const link = { ...params, ...deps };
    const client = sessionState() === 'signed-in' ? api() : anonymous;
    const opened = await openLink(client.email.previewVerification(link));
    return { ...opened, link };
  },
  component: lazyPage(() => import('./verify-email-page.tsx'), 'VerifyEmailPage'),
});

const undoEmailChange = createRoute({
  getParentRoute: () => root,
  path: '/email/undo/$token',
  loader: ({ params }) => openLink(anonymous.email.previewUndo(params)),
  component: lazyPage(() => import('./undo-email-change-page.tsx'), 'UndoEmailChangePage'),
});

/** What needs no tenant: signing in and what leads to it, and the links of mails. */
export const entryRoutes = [
  login,
  forgotPassword,
  device,
  authorize,
  resetPassword,
  invitation,
  verifyEmail,
  undoEmailChange,
] as const;

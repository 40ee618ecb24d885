import { ById, extend, signedIn, systemAction, Type } from '@chowk/kit';
import { requestsByApp } from '../oauth/client-requests.ts';
import {
  Confirmation,
  checkConfirmation,
  confirmationErrors,
  mustBeLogin,
  mustBeOwnSession,
} from '../profile/own-session.ts';
import { appGrantList, listOwnGrants, removeGrant, removeOwnGrant } from './app-grants.ts';
import { App, AppChanges, AppGrant, AppKey, AppWithSecret, NewApp } from './app-schemas.ts';
import {
  appList,
  checkAppChanges,
  checkNewApp,
  createApp,
  deleteApp,
  getApp,
  rotateAppSecret,
  updateApp,
} from './apps.ts';

const common = { tag: 'Apps', needs: 'settings.api_clients' } as const;
const sessionOnly = 'identity.session_only';
const notFound = ['identity.app_not_found'];
const changed = 'http.precondition_failed';
const grantNotFound = 'identity.app_grant_not_found';

export const appActions = {
  'apps.list': systemAction({
    ...common,
    summary: 'List apps',
    description: 'The apps that this tenant has registered.',
    http: 'GET /apps',
    ...appList.paged,
  }),
  'apps.create': systemAction({
    ...common,
    summary: 'Register an app',
    description:
      'An app of a third party asks users for access by the authorization code flow with PKCE. Users of every tenant can ' +
      'approve it. Its secret is shown only once. Needs a session in which the user has signed in.',
    http: 'POST /apps',
    input: extend(NewApp, Confirmation.properties),
    output: AppWithSecret,
    answer: { message: 'App registered.', status: 201 },
    errors: ['identity.too_many_apps', sessionOnly, ...confirmationErrors],
    guard: mustBeLogin,
    check: checkNewApp,
    run: createApp,
  }),
  'apps.get': systemAction({
    ...common,
    summary: 'Get an app',
    http: 'GET /apps/:id',
    input: AppKey,
    output: App,
    answer: { key: 'app' },
    errors: notFound,
    run: getApp,
  }),
  'apps.update': systemAction({
    ...common,
    summary: 'Update an app',
    description: 'What users have approved does not change: new scopes are part of the next requests.',
    http: 'PATCH /apps/:id',
    input: AppChanges,
    output: App,
    answer: { key: 'app', message: 'App saved.' },
    errors: [...notFound, sessionOnly, ...confirmationErrors],
    guard: mustBeLogin,
    check: checkAppChanges,
    run: updateApp,
  }),
  'apps.rotateSecret': systemAction({
    ...common,
    summary: 'Replace the secret of an app',
    description: 'The old secret is invalid at once. The new one is shown only once.',
    http: 'POST /apps/:id/secret',
    input: extend(AppKey, Confirmation.properties),
    output: AppWithSecret,
    answer: { message: 'Secret replaced.' },
    errors: [...notFound, 'identity.app_without_secret', changed, sessionOnly, ...confirmationErrors],
    guard: mustBeLogin,
    check: checkConfirmation,
    run: rotateAppSecret,
  }),
  'apps.delete': systemAction({
    ...common,
    summary: 'Delete an app',
    description: 'Ends its access in all tenants at once.',
    http: 'DELETE /apps/:id',
    input: AppKey,
    answer: { message: 'App deleted.' },
    errors: [...notFound, changed, sessionOnly],
    guard: mustBeOwnSession,
    run: deleteApp,
  }),
  'appGrants.list': systemAction({
    ...common,
    summary: 'List the apps that have access',
    description: 'The apps that members have approved in this tenant.',
    http: 'GET /app-grants',
    ...appGrantList.paged,
  }),
  'appGrants.delete': systemAction({
    ...common,
    summary: "End an app's access",
    description: 'Its tokens are invalid at once.',
    http: 'DELETE /app-grants/:id',
    input: ById,
    answer: { message: 'The app no longer has access.' },
    errors: [grantNotFound, sessionOnly],
    guard: mustBeOwnSession,
    run: removeGrant,
  }),
  'appGrants.requests': systemAction({
    ...common,
    summary: "List an app's requests",
    description: 'The requests of the app to this tenant in the last 30 days, for all its users, without bodies.',
    http: 'GET /app-grants/:id/requests',
    errors: [grantNotFound],
    ...requestsByApp,
  }),
  'profile.apps': systemAction({
    tag: 'Profile',
    needs: signedIn,
    tenant: 'optional',
    summary: 'List the apps that act as you',
    description: 'What you have approved, in all tenants.',
    http: 'GET /profile/apps',
    output: Type.Array(AppGrant),
    answer: { key: 'apps' },
    errors: [sessionOnly],
    guard: mustBeOwnSession,
    run: listOwnGrants,
  }),
  'profile.removeApp': systemAction({
    tag: 'Profile',
    needs: signedIn,
    tenant: 'optional',
    summary: 'End the access of an app that acts as you',
    description: 'Its tokens are invalid at once.',
    http: 'DELETE /profile/apps/:id',
    input: ById,
    answer: { message: 'The app no longer has access.' },
    errors: [grantNotFound, sessionOnly],
    guard: mustBeOwnSession,
    run: removeOwnGrant,
  }),
};

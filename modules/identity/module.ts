import { defineModule, type OperationTypes } from '@chowk/kit';
import { createIdentity } from './accounts/accounts.ts';
import { activityActions } from './activity/activity-actions.ts';
import { appActions } from './apps/app-actions.ts';
import { authorizationActions } from './apps/authorization-actions.ts';
import { protectedResourceActions } from './apps/protected-resource.ts';
import { errors } from './errors.ts';
import { devMailActions } from './mail/dev-mail.ts';
import { apiClientActions } from './oauth/api-client-actions.ts';
import { deviceActions } from './oauth/device-actions.ts';
import { oauthActions } from './oauth/oauth-actions.ts';
import { rotateKeys } from './oauth/rotate-keys.ts';
import { operations } from './operations.ts';
import { emailActions } from './profile/email-actions.ts';
import { passwordActions } from './profile/password-actions.ts';
import { passwordJobs } from './profile/password-reset.ts';
import { profileActions } from './profile/profile-actions.ts';
import { takeoverJobs } from './profile/turn-off-listeners.ts';
import { pruneJobs } from './prune.ts';
import { loginActions } from './sign-in/login-actions.ts';
import { invitationActions } from './team/invitation-actions.ts';
import { organizationActions } from './team/organization-actions.ts';
import { roleActions } from './team/role-actions.ts';
import { teamActions } from './team/team-actions.ts';

export const module = defineModule({
  actions: {
    ...loginActions,
    ...profileActions,
    ...emailActions,
    ...passwordActions,
    ...oauthActions,
    ...authorizationActions,
    ...protectedResourceActions,
    ...appActions,
    ...apiClientActions,
    ...deviceActions,
    ...teamActions,
    ...roleActions,
    ...invitationActions,
    ...organizationActions,
    ...activityActions,
    ...devMailActions,
  },
  tags: {
    'Sign-in': 'Sign in, refresh tokens, sign out, get the signed-in user.',
    Profile: 'Your account: profile, sessions, personal access tokens and two-factor authentication.',
    Email: 'Your email address: verify it, change it, undo a change.',
    Passwords: 'Change your password, or set one with a mailed link.',
    OAuth: 'Tokens for programs (RFC 6749, 7009, 8414, 8628).',
    'API clients': 'Programs that act for the tenant with their own permissions.',
    Devices: 'Programs that wait for the approval of their user.',
    Team: 'Members, roles, permissions and invitations.',
    Organization: 'The name and the main domain of the tenant.',
    Activity: 'Changes in the tenant and to the accounts of its members.',
  },
  operations,
  identity: createIdentity,
  jobs: { ...passwordJobs, ...pruneJobs, ...takeoverJobs },
  commands: [rotateKeys],
  errors,
});

declare module '@chowk/kit/catalogue' {
  interface Operations {
    identity: OperationTypes<typeof operations>;
  }
}

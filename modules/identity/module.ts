import { defineModule } from '@chowk/kit';
import { activityRoutes } from './activity/activity-routes.ts';
import { errors } from './errors.ts';
import { helpers } from './helpers.ts';
import { devMailRoutes } from './mail/dev-mail.ts';
import { pageRoutes } from './mail/pages.ts';
import { apiClientRoutes } from './oauth/api-client-routes.ts';
import { deviceRoutes } from './oauth/device-routes.ts';
import { oauthRoutes } from './oauth/oauth-routes.ts';
import { rotateKeys } from './oauth/rotate-keys.ts';
import { emailRoutes } from './profile/email-routes.ts';
import { passwordJobs } from './profile/password-reset.ts';
import { passwordRoutes } from './profile/password-routes.ts';
import { profileRoutes } from './profile/profile-routes.ts';
import { pruneJobs } from './prune.ts';
import { loginRoutes } from './sign-in/login-routes.ts';
import { invitationPageRoutes } from './team/invitation-page.ts';
import { invitationRoutes } from './team/invitation-routes.ts';
import { roleRoutes } from './team/role-routes.ts';
import { teamRoutes } from './team/team-routes.ts';

/** Accounts. Each area has its routes in a file of its own. */
export const module = defineModule({
  routes: [
    ...loginRoutes,
    ...profileRoutes,
    ...emailRoutes,
    ...passwordRoutes,
    ...oauthRoutes,
    ...apiClientRoutes,
    ...deviceRoutes,
    ...teamRoutes,
    ...roleRoutes,
    ...invitationRoutes,
    ...activityRoutes,
    ...pageRoutes,
    ...invitationPageRoutes,
    ...devMailRoutes,
  ],
  helpers,
  jobs: { ...passwordJobs, ...pruneJobs },
  commands: [rotateKeys],
  errors,
});

import { defineModule } from '@chowk/kit';
import { activityRoutes } from './activity-routes.ts';
import { apiClientRoutes } from './api-client-routes.ts';
import { devMailRoutes } from './dev-mail.ts';
import { deviceRoutes } from './device-routes.ts';
import { emailRoutes } from './email-routes.ts';
import { errors } from './errors.ts';
import { invitationPageRoutes } from './invitation-page.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { pageRoutes } from './pages.ts';
import { passwordJobs } from './password-reset.ts';
import { passwordRoutes } from './password-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { pruneJobs } from './prune.ts';
import { roleRoutes } from './role-routes.ts';
import { rotateKeys } from './rotate-keys.ts';
import { teamRoutes } from './team-routes.ts';

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
  jobs: { ...passwordJobs, ...pruneJobs },
  commands: [rotateKeys],
  errors,
});

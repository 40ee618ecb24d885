import { defineModule } from '@chowk/kit';
import { activityRoutes } from './activity-routes.ts';
import { errors } from './errors.ts';
import { invitationRoutes } from './invitation-routes.ts';
import { loginRoutes } from './login-routes.ts';
import { roleRoutes } from './role-routes.ts';
import { teamRoutes } from './team-routes.ts';

/** Accounts. Each area has its routes in a file of its own. */
export const module = defineModule({
  routes: [...loginRoutes, ...teamRoutes, ...roleRoutes, ...invitationRoutes, ...activityRoutes],
  errors,
});

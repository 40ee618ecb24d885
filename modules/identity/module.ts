import { defineModule } from '@chowk/kit';
import { apiClientRoutes } from './api-client-routes.ts';
import { deviceRoutes } from './device-routes.ts';
import { errors } from './errors.ts';
import { loginRoutes } from './login-routes.ts';
import { oauthRoutes } from './oauth-routes.ts';
import { profileRoutes } from './profile-routes.ts';
import { rotateKeys } from './rotate-keys.ts';

/** Accounts. Each area has its routes in a file of its own. */
export const module = defineModule({
  routes: [...loginRoutes, ...profileRoutes, ...oauthRoutes, ...apiClientRoutes, ...deviceRoutes],
  commands: [rotateKeys],
  errors,
});

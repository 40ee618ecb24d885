import { defineModule } from '@chowk/kit';
import { errors } from './errors.ts';
import { loginRoutes } from './login-routes.ts';
import { profileRoutes } from './profile-routes.ts';

/** Accounts. Each area has its routes in a file of its own. */
export const module = defineModule({ routes: [...loginRoutes, ...profileRoutes], errors });

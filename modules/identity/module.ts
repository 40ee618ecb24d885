import { defineModule } from '@chowk/kit';
import { devMailRoutes } from './dev-mail.ts';
import { emailRoutes } from './email-routes.ts';
import { errors } from './errors.ts';
import { loginRoutes } from './login-routes.ts';
import { pageRoutes } from './pages.ts';
import { passwordJobs } from './password-reset.ts';
import { passwordRoutes } from './password-routes.ts';
import { pruneJobs } from './prune.ts';

/** Accounts. Each area has its routes in a file of its own. */
export const module = defineModule({
  routes: [...loginRoutes, ...emailRoutes, ...passwordRoutes, ...pageRoutes, ...devMailRoutes],
  jobs: { ...passwordJobs, ...pruneJobs },
  errors,
});

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick, type Search } from '../../routing/search-params.ts';

/** A page that a module brings. Its list decides which filters the address may have; `open` is the row beside it. */
export const modulePage = createRoute({
  getParentRoute: () => shell,
  path: '/modules/$module/$entry',
  validateSearch: (search: Record<string, unknown>): Search => pick(...Object.keys(search))(search),
  component: lazyPage(() => import('./module-page.tsx'), 'ModulePage'),
});

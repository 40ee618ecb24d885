import { createRouter } from '@tanstack/react-router';
import { accountRoutes } from './pages/account/routes.ts';
import { activityRoutes } from './pages/activity/routes.ts';
import { conversationRoutes } from './pages/conversations/routes.ts';
import { customerRoutes } from './pages/customers/routes.ts';
import { ui } from './pages/dev/routes.ts';
import { developerRoutes } from './pages/developers/routes.ts';
import { discountRoutes } from './pages/discounts/routes.ts';
import { entryRoutes } from './pages/entry/routes.ts';
import { home } from './pages/home/routes.ts';
import { install } from './pages/install/routes.ts';
import { modulePage } from './pages/modules/routes.ts';
import { notificationRoutes } from './pages/notifications/routes.ts';
import { onboardingRoutes } from './pages/onboarding/routes.ts';
import { orderRoutes } from './pages/orders/routes.ts';
import { platformRoutes } from './pages/platform/routes.ts';
import { productRoutes } from './pages/products/routes.ts';
import { reports } from './pages/reports/routes.ts';
import { resellerRoutes } from './pages/reseller/routes.ts';
import { ruleRoutes } from './pages/rules/routes.ts';
import { settingsRoutes } from './pages/settings/routes.ts';
import { teamRoutes } from './pages/team/routes.ts';
import { root, shell, unknownRoutes } from './routes.ts';
import { parseSearch, stringifySearch } from './routing/search-params.ts';
import { PageError } from './shell/page-error.tsx';
import { PageLoading } from './ui/page-loading.tsx';

const pages = shell.addChildren([
  home,
  ...customerRoutes,
  ...orderRoutes,
  ...productRoutes,
  ...discountRoutes,
  ...conversationRoutes,
  ...notificationRoutes,
  ...ruleRoutes,
  reports,
  ...accountRoutes,
  ...resellerRoutes,
  ...platformRoutes,
  ...teamRoutes,
  ...activityRoutes,
  ...developerRoutes,
  ...settingsRoutes,
  modulePage,
]);

export const router = createRouter({
  routeTree: root.addChildren([install, ...entryRoutes, ...onboardingRoutes, ui, pages, unknownRoutes]),
  parseSearch,
  stringifySearch,
  // A parameter that no page knows is not sent to the platform.
  search: { strict: true },
  defaultErrorComponent: PageError,
  // On a slow connection, a click shows at once that it was taken.
  defaultPendingComponent: PageLoading,
  defaultPendingMs: 100,
  defaultPendingMinMs: 0,
  defaultPreload: 'intent',
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

import { createRoute, redirect } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';

/** `open` is the API client that is edited, or `new`. */
const apiClients = createRoute({
  getParentRoute: () => shell,
  path: '/developers',
  validateSearch: pick('open'),
  component: lazyPage(() => import('./api-clients-page.tsx'), 'ApiClientsPage'),
});

/** `open` is the app that is edited, or `new`. */
const apps = createRoute({
  getParentRoute: () => shell,
  path: '/developers/apps',
  validateSearch: pick('open'),
  component: lazyPage(() => import('./apps-page.tsx'), 'AppsPage'),
});

const sandboxes = createRoute({
  getParentRoute: () => shell,
  path: '/developers/sandboxes',
  component: lazyPage(() => import('./sandboxes-page.tsx'), 'SandboxesPage'),
});

const webhooks = createRoute({
  getParentRoute: () => shell,
  path: '/developers/webhooks',
  component: lazyPage(() => import('./webhooks-page.tsx'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => webhooks,
  path: '$id',
  validateSearch: pick('status', 'delivery', 'edit'),
  component: lazyPage(() => import('./webhook-panel.tsx'), 'WebhookPanel'),
});

const newWebhook = createRoute({
  getParentRoute: () => webhooks,
  path: 'new',
  component: lazyPage(() => import('./new-webhook.tsx'), 'NewWebhookPanel'),
});

const graphql = createRoute({
  getParentRoute: () => shell,
  path: '/developers/graphql',
  component: lazyPage(() => import('./graphql-page.tsx'), 'GraphqlPage'),
});

const tools = createRoute({
  getParentRoute: () => shell,
  path: '/developers/tools',
  component: lazyPage(() => import('./tools-page.tsx'), 'ToolsPage'),
});

const shortAddress = createRoute({
  getParentRoute: () => shell,
  path: '/webhooks',
  beforeLoad: () => {
    throw redirect({ to: '/developers/webhooks', replace: true });
  },
});

export const developerRoutes = [
  apiClients,
  apps,
  sandboxes,
  webhooks.addChildren([webhook, newWebhook]),
  graphql,
  tools,
  shortAddress,
] as const;

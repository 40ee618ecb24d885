import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

export const conversationRoutes = [conversations] as const;

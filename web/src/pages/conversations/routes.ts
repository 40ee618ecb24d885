import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { pick } from '../../search.ts';

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: pick('view', 'search', 'pane', 'customer_id'),
  component: lazyRouteComponent(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => conversations,
  path: '$id',
  component: lazyRouteComponent(() => import('./thread-page.tsx'), 'ThreadPage'),
});

const newConversation = createRoute({
  getParentRoute: () => conversations,
  path: 'new',
  component: lazyRouteComponent(() => import('./new-conversation.tsx'), 'NewConversationPage'),
});

export const conversationRoutes = [conversations.addChildren([conversation, newConversation])] as const;

import { createRoute } from '@tanstack/react-router';
import { shell } from '../../routes.ts';
import { lazyPage } from '../../routing/lazy-page.tsx';
import { pick } from '../../routing/search-params.ts';
import { viewList } from './views.ts';

const conversations = createRoute({
  getParentRoute: () => shell,
  path: '/conversations',
  validateSearch: pick(...viewList.fields, 'pane', 'customer_id', 'new_channel', 'subject'),
  component: lazyPage(() => import('./conversations-page.tsx'), 'ConversationsPage'),
});

const conversation = createRoute({
  getParentRoute: () => conversations,
  path: '$id',
  component: lazyPage(() => import('./thread-page.tsx'), 'ThreadPage'),
});

const newConversation = createRoute({
  getParentRoute: () => conversations,
  path: 'new',
  component: lazyPage(() => import('./new-conversation.tsx'), 'NewConversationPage'),
});

export const conversationRoutes = [conversations.addChildren([conversation, newConversation])] as const;

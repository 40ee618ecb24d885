import { Page } from '../../ui/page.tsx';

export function ConversationsPage() {
  return <Page title="Conversations">{null}</Page>;
}

import { Page } from '../../ui/page.tsx';

export function NotificationsPage() {
  return <Page title="Notifications">{null}</Page>;
}

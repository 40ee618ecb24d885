import { Page } from '../../ui/page.tsx';

export function OrdersPage() {
  return <Page title="Orders">{null}</Page>;
}

import { StatusPill } from '../../ui/status-pill.tsx';
import { type Status, statuses } from './status.ts';

export function OrderStatus({ status }: { readonly status: Status }) {
  return <StatusPill tone={statuses[status].tone}>{statuses[status].label}</StatusPill>;
}

import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi, useCan } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { TabCount } from '../../ui/tabs.tsx';

/** To the drafts that are not placed yet, with their number. */
export function DraftsLink() {
  const can = useCan();
  const isVisible = can('orders.create') && can('orders.view');
  const { data } = useApi(
    keys.orders.draftCount,
    (client) => client.orders.listDrafts({ is_placed: false, per_page: 1 }),
    isVisible,
  );
  const total = data && 'total' in data.pagination ? data.pagination.total : 0;
  if (!isVisible) return null;
  return (
    <Link
      to="/orders/drafts"
      className="inline-flex h-9 items-center rounded-control px-3.5 font-medium text-secondary transition-colors hover:bg-sunken hover:text-text max-md:h-11"
    >
      Drafts{total > 0 && <TabCount>{count(total)}</TabCount>}
    </Link>
  );
}

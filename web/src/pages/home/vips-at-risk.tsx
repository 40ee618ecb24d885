import { Link } from '@tanstack/react-router';
import { useApi } from '../../api-query.ts';
import { money } from '../../format.ts';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';
import { customerNameOf } from '../orders/order-list.ts';

/** As in the segment At risk. */
const riskMs = 90 * 86_400_000;

/** The best customers who have not ordered for long, so that somebody calls them. */
export function VipsAtRisk() {
  const { data } = useApi(['customers', 'vips-at-risk'], (client) =>
    client.customers.list({ vip: true, sort_by: 'total_spent', sort_order: 'desc', per_page: 100 }),
  );
  const vips = (data?.customers ?? []).filter(
    ({ last_order_at }) => last_order_at && Date.parse(last_order_at) < Date.now() - riskMs,
  );
  if (vips.length === 0) return null;
  return (
    <Section title="VIPs at risk" lead="No order for more than 90 days.">
      <ul className="grid border-t border-line">
        {vips.slice(0, 5).map(({ id, total_spent, currency, last_order_at, ...customer }) => (
          <li key={id} className="border-b border-line">
            <Link
              to="/customers/$id"
              params={{ id }}
              className="grid min-h-11 grid-cols-[1fr_auto] content-center items-baseline gap-x-3 py-1.5 hover:bg-sunken"
            >
              <span className="truncate font-medium">{customerNameOf(customer)}</span>
              <span className="numeric text-sm">{currency && money(total_spent, currency)}</span>
              {last_order_at && (
                <span className="text-xs text-faint">
                  Last order <RelativeTime time={last_order_at} />
                </span>
              )}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}

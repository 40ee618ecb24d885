import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { money } from '../../format/numbers.ts';
import { customerName } from '../../people/customer-name.ts';
import { Section } from '../../ui/page.tsx';
import { RelativeTime } from '../../ui/relative-time.tsx';

export function useVipsAtRisk(enabled = true) {
  return useApi(
    keys.customers.vipsAtRisk,
    (client) =>
      client.customers.list({
        vip: true,
        segment: 'at_risk',
        sort_by: 'total_spent',
        sort_order: 'desc',
        per_page: 5,
      }),
    enabled,
  );
}

/** The best customers who have not ordered for long, so that somebody calls them. */
export function VipsAtRisk() {
  const { data } = useVipsAtRisk();
  if (!data || data.customers.length === 0) return null;
  return (
    <Section title="VIPs at risk" lead="No order for more than 90 days.">
      <ul className="grid border-t border-line">
        {data.customers.map(({ id, total_spent, currency, last_order_at, ...customer }) => (
          <li key={id} className="border-b border-line">
            <Link
              to="/customers/$id"
              params={{ id }}
              className="grid min-h-11 grid-cols-[1fr_auto] content-center items-baseline gap-x-3 py-1.5 hover:bg-sunken"
            >
              <span className="truncate font-medium">{customerName(customer)}</span>
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

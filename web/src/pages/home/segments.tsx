import { Link } from '@tanstack/react-router';
import { keys } from '../../api/query-keys.ts';
import { useApi } from '../../api/use-api.ts';
import { count } from '../../format/numbers.ts';
import { Loading } from '../../ui/loading.tsx';
import { Section } from '../../ui/page.tsx';

export function Segments() {
  const { data, error } = useApi(keys.customers.segments, (client) => client.customers.listSegments());
  const most = Math.max(1, ...(data?.segments ?? []).map((segment) => segment.count));
  if (data?.segments.every((segment) => segment.count === 0)) return null;
  return (
    <Section title="Customers by segment">
      {data ? (
        <ul className="grid">
          {data.segments.map(({ key, label, count: value }) => (
            <li key={key}>
              <Link
                to="/customers"
                search={{ segment: key }}
                className="grid h-8 grid-cols-[8rem_1fr_auto] items-center gap-3 rounded-control text-sm hover:bg-sunken max-md:h-11"
              >
                <span className={`truncate ${value === 0 ? 'text-faint' : ''}`}>{label}</span>
                <meter className="bar" min={0} max={most} value={value} aria-label={`${label}: ${value}`} />
                <span className={`numeric min-w-8 text-right ${value === 0 ? 'text-faint' : 'font-medium'}`}>
                  {count(value)}
                </span>
              </Link>
            </li>
          ))}
        </ul>
      ) : (
        <Loading error={error} className="h-48" />
      )}
    </Section>
  );
}

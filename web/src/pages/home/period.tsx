import { Link, useSearch } from '@tanstack/react-router';

/** Days; a year is shown in weeks. */
const periods = [7, 30, 90, 364] as const;

/** `30 days`, `52 weeks`. */
export function periodName(days: number): string {
  return days > 90 ? `${days / 7} weeks` : `${days} days`;
}

/** From the address. */
export function usePeriod(): number {
  const { days } = useSearch({ from: '/shell/' });
  return periods.find((period) => String(period) === days) ?? 30;
}

export function PeriodChoice() {
  const current = usePeriod();
  return (
    <nav aria-label="Period" className="flex rounded-control bg-sunken p-0.5">
      {periods.map((days) => (
        <Link
          key={days}
          to="/"
          search={(search) => ({ ...search, days: String(days) })}
          aria-current={days === current ? 'true' : undefined}
          data-current={days === current || undefined}
          className="numeric grid h-8 place-items-center rounded-[5px] px-3 text-sm font-medium text-secondary hover:text-text data-current:bg-surface data-current:text-text data-current:ring-1 data-current:ring-line max-md:h-10"
        >
          {periodName(days)}
        </Link>
      ))}
    </nav>
  );
}

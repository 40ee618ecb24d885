import { addDays, today } from '../../time/times.ts';
import { Input, Select } from '../../ui/field.tsx';
import { useReportSearch } from './search.ts';

const choices: readonly (readonly [string, string])[] = [
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['365', 'Last 365 days'],
];

/** The days of a report, and its currency if it is not the tenant's. */
export interface Period {
  readonly from: string;
  readonly to: string;
  readonly currency?: string;
}

interface ComparedPeriod {
  readonly period: Period;
  readonly days: number;
  /** As many days, just before. */
  readonly before: Period;
}

const dayLength = 86_400_000;
const isDay = (text: string | undefined): text is string =>
  /^\d{4}-\d\d-\d\d$/.test(text ?? '') && !Number.isNaN(Date.parse(text ?? ''));

/** From the address. */
export function usePeriod(): ComparedPeriod {
  const { search } = useReportSearch();
  const days = Number(choices.find(([value]) => value === search.days)?.[0] ?? 30);
  const isOwn = isDay(search.from) && isDay(search.to) && search.from <= search.to;
  const to = isOwn ? (search.to as string) : today();
  const from = isOwn ? (search.from as string) : addDays(to, 1 - days);
  const count = (Date.parse(to) - Date.parse(from)) / dayLength + 1;
  const currency = search.currency === undefined ? {} : { currency: search.currency };
  return {
    period: { from, to, ...currency },
    days: count,
    before: { from: addDays(from, -count), to: addDays(from, -1), ...currency },
  };
}

export function PeriodChoice() {
  const { search, show } = useReportSearch();
  const { from, to } = usePeriod().period;
  const isOwn = search.from !== undefined;
  const choose = (value: string) =>
    show(value === 'own' ? { days: undefined, from, to } : { days: value, from: undefined, to: undefined });
  return (
    <>
      <Select
        aria-label="Period"
        className="w-auto!"
        value={isOwn ? 'own' : (search.days ?? '30')}
        onChange={({ target }) => choose(target.value)}
      >
        {choices.map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        <option value="own">Other days</option>
      </Select>
      {isOwn && (
        <>
          <DayInput label="From" value={from} max={to} onChange={(day) => show({ from: day, to })} />
          <DayInput label="To" value={to} min={from} onChange={(day) => show({ from, to: day })} />
        </>
      )}
    </>
  );
}

interface DayInputProps {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly onChange: (day: string) => void;
}

/** A day that is being typed is not yet one. */
function DayInput({ label, onChange, ...rest }: DayInputProps) {
  return (
    <Input
      type="date"
      aria-label={label}
      // On a phone, below the other controls.
      className="w-auto! max-md:order-last max-md:flex-1"
      {...rest}
      onChange={({ target }) => {
        if (isDay(target.value) && target.validity.valid) onChange(target.value);
      }}
    />
  );
}

interface OtherCurrenciesProps {
  readonly report: { readonly currency: string; readonly other_currencies: readonly string[] };
}

/** Orders in other currencies are never added to the amounts. */
export function OtherCurrencies({ report: { currency, other_currencies: others } }: OtherCurrenciesProps) {
  const { show } = useReportSearch();
  if (others.length === 0) return null;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-sm text-secondary">
      Only orders in {currency}.
      {others.map((other) => (
        <button
          key={other}
          type="button"
          onClick={() => show({ currency: other })}
          className="h-8 text-accent underline underline-offset-4 max-md:h-11"
        >
          Show those in {other}
        </button>
      ))}
    </p>
  );
}

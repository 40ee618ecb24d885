import { useReportSearch } from './search.ts';

interface GroupChoiceProps {
  /** The first is the default. */
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly value: string;
}

/** What the rows of a report are. */
export function GroupChoice({ choices, value }: GroupChoiceProps) {
  const { show } = useReportSearch();
  return (
    <fieldset aria-label="Group by" className="flex w-fit rounded-control bg-sunken p-0.5">
      {choices.map(([by, label], index) => (
        <button
          key={by}
          type="button"
          aria-pressed={by === value}
          onClick={() => show({ by: index === 0 ? undefined : by })}
          className="h-8 rounded-[5px] px-3 text-sm font-medium text-secondary hover:text-text aria-pressed:bg-surface aria-pressed:text-text aria-pressed:ring-1 aria-pressed:ring-line max-md:h-10"
        >
          {label}
        </button>
      ))}
    </fieldset>
  );
}

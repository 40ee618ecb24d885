interface Bar {
  readonly key: string;
  readonly name: string;
  readonly value: number;
}

interface BarListProps {
  /** What the values are. */
  readonly label: string;
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

/** Values by name, each as a bar. */
export function BarList({ label, bars, format }: BarListProps) {
  const most = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul aria-label={label} className="grid">
      {bars.map(({ key, name, value }) => (
        <li
          key={key}
          className="grid h-9 grid-cols-[minmax(7rem,16rem)_1fr_auto] items-center gap-4 text-sm max-sm:grid-cols-[minmax(0,8rem)_1fr_auto] max-sm:gap-3"
        >
          <span className="truncate" title={name}>
            {name}
          </span>
          <meter className="bar" min={0} max={most} value={value} aria-label={`${name}: ${format(value)}`} />
          <span className="numeric min-w-24 text-right font-medium">{format(value)}</span>
        </li>
      ))}
    </ul>
  );
}

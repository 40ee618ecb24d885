interface SmallChartProps {
  readonly label: string;
  /** The oldest first. */
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}

const width = 240;
const height = 48;

/** A line without axes: the latest value, and the highest of the time that is shown. */
export function SmallChart({ label, values, format }: SmallChartProps) {
  const most = Math.max(...values, 0);
  const x = (index: number) => (values.length < 2 ? width : (index * width) / (values.length - 1));
  const y = (value: number) => height - 1 - (most === 0 ? 0 : (value / most) * (height - 4));
  const line = values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`);
  const latest = format(values.at(-1) ?? 0);
  return (
    <figure className="grid min-w-0 gap-1.5">
      <figcaption className="grid gap-0.5">
        <span className="text-sm text-secondary">{label}</span>
        <span className="flex items-baseline justify-between gap-2">
          <span className="numeric text-lg font-semibold">{latest}</span>
          <span className="numeric text-xs text-faint">most {format(most)}</span>
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden
        className="h-12 w-full border-b border-line"
      >
        <path
          d={line.join('')}
          fill="none"
          className="stroke-accent"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
      </svg>
    </figure>
  );
}

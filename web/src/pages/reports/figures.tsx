import { ArrowDown, ArrowUp } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';

export interface Figure {
  readonly label: string;
  /** Undefined while it is being read. */
  readonly text: string | undefined;
  /** The value and that of the period before. */
  readonly change?: readonly [number, number] | undefined;
  /** Whether the chart shows it, and what shows it. */
  readonly isShown?: boolean;
  readonly onChoose?: () => void;
}

/** The most important numbers, above the chart. */
export function Figures({ figures }: { readonly figures: readonly Figure[] }) {
  return (
    <div className="grid grid-cols-2 gap-x-5 gap-y-1 sm:grid-cols-4">
      {figures.map((figure) =>
        figure.onChoose ? (
          <button
            key={figure.label}
            type="button"
            aria-pressed={figure.isShown}
            onClick={figure.onChoose}
            className="-ml-3 rounded-panel px-3 py-2.5 text-left transition-colors hover:bg-sunken aria-pressed:bg-sunken"
          >
            <FigureText {...figure} />
          </button>
        ) : (
          <div key={figure.label} className="py-2.5">
            <FigureText {...figure} />
          </div>
        ),
      )}
    </div>
  );
}

function FigureText({ label, text, change }: Figure) {
  return (
    <span className="grid justify-items-start gap-0.5">
      <span className="text-sm text-secondary">{label}</span>
      {text === undefined ? (
        <Skeleton className="my-1 h-6 w-24" />
      ) : (
        <span className="numeric text-xl font-semibold tracking-tight">{text}</span>
      )}
      {change && <Change values={change} />}
    </span>
  );
}

function Change({ values: [current, before] }: { readonly values: readonly [number, number] }) {
  if (before === 0) return <span className="text-sm text-faint">None before</span>;
  const percent = ((current - before) / before) * 100;
  const text = new Intl.NumberFormat(undefined, { maximumFractionDigits: Math.abs(percent) < 10 ? 1 : 0 });
  if (text.format(Math.abs(percent)) === '0') return <span className="text-sm text-faint">As before</span>;
  const isUp = percent >= 0;
  return (
    <span className={`numeric flex items-center gap-0.5 text-sm font-medium ${isUp ? 'text-success' : 'text-error'}`}>
      <Icon icon={isUp ? ArrowUp : ArrowDown} size={14} strokeWidth={2} label={isUp ? 'up' : 'down'} />
      {text.format(Math.abs(percent))}%
    </span>
  );
}

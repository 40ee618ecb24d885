import { type KeyboardEvent, useId, useState } from 'react';
import { useWidth } from '../screen/use-width.ts';
import { labelIndexes } from './ticks.ts';

export interface Point {
  readonly key: string;
  /** Below the axis. */
  readonly label: string;
  /** In the tooltip and for screen readers. */
  readonly name: string;
  readonly value: number;
  readonly previousName: string;
  readonly previous: number;
}

interface LineChartProps {
  /** What the values are: `Revenue`. */
  readonly label: string;
  /** What a point is. Default: a day. */
  readonly unit?: 'day' | 'week' | 'month';
  readonly points: readonly Point[];
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  /** Shorter, for the axis. */
  readonly formatTick: (value: number) => string;
  /** What the line is, and what the dashed one. */
  readonly legend: readonly [string, string];
}

const height = 232;
const top = 12;
const bottom = height - 28;

/** A value by day as a line, over a dashed one for the period before. Left and right move between the days. */
export function LineChart({ label, unit = 'day', points, ticks, format, formatTick, legend }: LineChartProps) {
  const [box, setBox] = useState<HTMLElement | null>(null);
  const width = useWidth(box) ?? 0;
  const [active, setActive] = useState<number>();
  const tickLabels = ticks.map(formatTick);
  const left = Math.max(24, ...tickLabels.map((text) => text.length * 7 + 12));
  const right = width - 8;
  const most = ticks.at(-1) ?? 1;
  const x = (index: number) =>
    points.length === 1 ? (left + right) / 2 : left + (index * (right - left)) / (points.length - 1);
  const y = (value: number) => bottom - (value / most) * (bottom - top);
  const linePath = (values: readonly number[]) =>
    values.map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`).join('');
  const current = linePath(points.map(({ value }) => value));
  const last = points.length - 1;
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = {
      ArrowLeft: -1,
      ArrowRight: 1,
      Home: -points.length,
      End: points.length,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    setActive((index = last + 1) => Math.min(last, Math.max(0, index + step)));
  };
  const shown = active === undefined ? undefined : points[active];
  return (
    <div ref={setBox} className="relative min-w-0">
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would be wrong for a chart */}
      <div
        role="group"
        aria-label={`${label} by ${unit}. Left and right show the ${unit}s.`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move between the days
        tabIndex={0}
        onKeyDown={move}
        onBlur={() => setActive(undefined)}
        onPointerMove={({ nativeEvent: { offsetX } }) => {
          const step = last === 0 ? 1 : (right - left) / last;
          setActive(Math.min(last, Math.max(0, Math.round((offsetX - left) / step))));
        }}
        onPointerLeave={() => setActive(undefined)}
        className="rounded-control"
      >
        <svg width={width} height={height} aria-hidden="true" className="block">
          {width > 0 && (
            <>
              {ticks.map((tick, index) => (
                <g key={tick}>
                  <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} className="stroke-line" />
                  <text x={left - 10} y={y(tick) + 4} textAnchor="end" className="numeric fill-faint text-xs">
                    {tickLabels[index]}
                  </text>
                </g>
              ))}
              {labelIndexes(points.length, width < 480 ? 4 : 7).map((index) => (
                <text
                  key={index}
                  x={x(index)}
                  y={height - 8}
                  textAnchor={last > 0 && index === 0 ? 'start' : last > 0 && index === last ? 'end' : 'middle'}
                  className="numeric fill-faint text-xs"
                >
                  {points[index]?.label}
                </text>
              ))}
              <path
                d={linePath(points.map(({ previous }) => previous))}
                className="fill-none stroke-edge"
                strokeWidth="1.5"
                strokeDasharray="3 4"
              />
              <path d={`${current}L${x(last)} ${bottom}L${x(0)} ${bottom}Z`} className="fill-accent opacity-10" />
              <path d={current} className="fill-none stroke-accent" strokeWidth="2" strokeLinejoin="round" />
              {points.length === 1 && <circle cx={x(0)} cy={y(points[0]?.value ?? 0)} r="4" className="fill-accent" />}
              {shown && active !== undefined && (
                <>
                  <line x1={x(active)} x2={x(active)} y1={top} y2={bottom} className="stroke-edge" />
                  <circle cx={x(active)} cy={y(shown.previous)} r="3" className="fill-edge" />
                  <circle
                    cx={x(active)}
                    cy={y(shown.value)}
                    r="4.5"
                    className="fill-accent stroke-canvas"
                    strokeWidth="2"
                  />
                </>
              )}
            </>
          )}
        </svg>
      </div>
      <div aria-live="polite">
        {shown && active !== undefined && (
          <Tooltip
            point={shown}
            position={x(active)}
            width={width}
            isBelow={Math.max(shown.value, shown.previous) > most / 2}
            format={format}
          />
        )}
      </div>
      <Legend texts={legend} />
      <DataTable label={label} unit={unit} points={points} format={format} />
    </div>
  );
}

interface TooltipProps {
  readonly point: Point;
  readonly position: number;
  readonly width: number;
  readonly isBelow: boolean;
  readonly format: (value: number) => string;
}

/** Where it hides as little of the lines as possible. */
function Tooltip({ point, position, width, isBelow, format }: TooltipProps) {
  const { name, value, previousName, previous } = point;
  const isRight = position > width / 2;
  return (
    <dl
      style={{
        ...(isRight ? { right: width - position + 12 } : { left: position + 12 }),
        top: isBelow ? bottom - 64 : top,
      }}
      className="numeric pointer-events-none absolute z-[1] grid grid-cols-[auto_auto] gap-x-4 gap-y-0.5 rounded-control bg-raised px-3 py-2 text-sm whitespace-nowrap shadow-raised"
    >
      <dt className="text-secondary">{name}</dt>
      <dd className="text-right font-medium">{format(value)}</dd>
      <dt className="text-secondary">{previousName}</dt>
      <dd className="text-right text-secondary">{format(previous)}</dd>
    </dl>
  );
}

function Legend({ texts: [current, previous] }: { readonly texts: LineChartProps['legend'] }) {
  return (
    <p className="mt-2 flex flex-wrap justify-end gap-x-5 text-xs text-secondary" aria-hidden>
      <span className="flex items-center gap-2">
        <span className="w-4 border-t-2 border-accent" />
        {current}
      </span>
      <span className="flex items-center gap-2">
        <span className="w-4 border-t-2 border-dashed border-edge" />
        {previous}
      </span>
    </p>
  );
}

type Data = Pick<LineChartProps, 'label' | 'points' | 'format'> & { readonly unit: string };

/** The same values for screen readers. */
function DataTable({ label, unit, points, format }: Data) {
  const id = useId();
  return (
    <div className="sr-only">
      <table aria-labelledby={id}>
        <caption id={id}>
          {label} by {unit}
        </caption>
        <thead>
          <tr>
            <th scope="col">The {unit}</th>
            <th scope="col">{label}</th>
            <th scope="col">The {unit} of the period before</th>
            <th scope="col">{label}</th>
          </tr>
        </thead>
        <tbody>
          {points.map(({ key, name, value, previousName, previous }) => (
            <tr key={key}>
              <th scope="row">{name}</th>
              <td>{format(value)}</td>
              <td>{previousName}</td>
              <td>{format(previous)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

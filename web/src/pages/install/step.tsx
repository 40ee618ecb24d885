import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly state: 'done' | 'current' | 'waiting';
  /** What has been done, in a few words. */
  readonly summary?: string | undefined;
  readonly children?: ReactNode;
}

const marks = {
  done: 'bg-accent text-on-accent',
  current: 'bg-surface text-accent ring-2 ring-accent ring-inset',
  waiting: 'bg-surface text-faint ring-1 ring-edge ring-inset',
};

export function Step({ number, title, state, summary, children }: StepProps) {
  return (
    <li
      aria-current={state === 'current' ? 'step' : undefined}
      className="relative grid grid-cols-[1.75rem_1fr] gap-x-4 pb-8 last:pb-0 not-last:before:absolute not-last:before:top-8 not-last:before:bottom-1 not-last:before:left-3.25 not-last:before:w-px not-last:before:bg-line"
    >
      <span className={`numeric grid size-7 place-items-center rounded-full text-sm font-semibold ${marks[state]}`}>
        {state === 'done' ? <Icon icon={Check} size={15} strokeWidth={2.5} label="done" /> : number}
      </span>
      <div className="grid min-w-0 content-start gap-3 pt-0.5">
        <h2
          className={`flex flex-wrap items-baseline gap-x-3 text-lg font-semibold ${state === 'waiting' ? 'text-faint' : ''}`}
        >
          {title}
          {summary && <span className="text-sm font-normal text-secondary">{summary}</span>}
        </h2>
        {children}
      </div>
    </li>
  );
}

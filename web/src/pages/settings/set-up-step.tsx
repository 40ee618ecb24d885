import type { ReactNode } from 'react';
import { CopyButton } from '../../ui/copy-button.tsx';

interface StepProps {
  readonly number: number;
  readonly title: string;
  readonly children: ReactNode;
}

/** A numbered step of setting something up at another service. */
export function Step({ number, title, children }: StepProps) {
  return (
    <li className="grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-3 gap-y-3">
      <span aria-hidden className="numeric grid size-6 place-items-center rounded-full bg-sunken text-xs font-semibold">
        {number}
      </span>
      <p className="pt-0.5 text-sm text-secondary">{title}</p>
      <div className="col-start-2 grid gap-3 max-sm:col-span-full">{children}</div>
    </li>
  );
}

/** A text to copy to another service. */
export function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <div className="grid gap-1.5">
      <div className="flex items-center justify-between gap-2">
        <span className="text-sm font-medium">{label}</span>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      <code className="rounded-control bg-sunken px-3 py-2 text-xs leading-5 break-all whitespace-pre-line select-all">
        {text}
      </code>
    </div>
  );
}

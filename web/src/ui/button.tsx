import { LoaderCircle } from 'lucide-react';
import type { ComponentProps } from 'react';
import { Icon } from './icon.tsx';

const variants = {
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  secondary: 'bg-surface text-text border border-edge/60 hover:bg-sunken hover:border-edge',
  quiet: 'text-secondary hover:bg-sunken hover:text-text',
  danger: 'bg-error text-on-accent hover:opacity-90',
};

interface ButtonProps extends ComponentProps<'button'> {
  readonly variant?: keyof typeof variants;
  /** Work is under way: the button keeps its width and its focus, and does nothing. */
  readonly isBusy?: boolean;
}

export function Button({
  variant = 'secondary',
  isBusy = false,
  className = '',
  children,
  onClick,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      aria-busy={isBusy || undefined}
      aria-disabled={isBusy || undefined}
      onClick={(event) => {
        // Ignore the second click of a double click.
        if (isBusy || event.detail > 1) event.preventDefault();
        else onClick?.(event);
      }}
      className={`relative inline-flex h-9 max-md:h-11 shrink-0 items-center justify-center gap-2 rounded-control px-3.5 font-medium whitespace-nowrap transition-colors select-none disabled:opacity-50 ${variants[variant]} ${className}`}
      {...rest}
    >
      <span className={`inline-flex items-center gap-2 ${isBusy ? 'opacity-0' : ''}`}>{children}</span>
      {isBusy && <Icon icon={LoaderCircle} strokeWidth={2} className="absolute animate-spin" />}
    </button>
  );
}

interface IconButtonProps extends ComponentProps<'button'> {
  readonly label: string;
}

export function IconButton({ label, className = '', ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      className={`relative inline-grid size-9 max-md:size-11 shrink-0 place-items-center rounded-control text-secondary transition-colors hover:bg-sunken hover:text-text aria-expanded:bg-sunken aria-expanded:text-text ${className}`}
      {...rest}
    />
  );
}

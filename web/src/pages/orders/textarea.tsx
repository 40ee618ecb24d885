import type { ComponentProps } from 'react';

export function Textarea({ className = '', ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea
      className={`w-full rounded-control border border-edge/70 bg-surface px-3 py-2 text-base transition-colors placeholder:text-faint hover:border-edge focus:border-accent focus:outline-2 focus:outline-offset-0 focus:outline-accent/25 aria-invalid:border-error max-md:text-lg ${className}`}
      {...rest}
    />
  );
}

import type { ReactNode } from 'react';

interface TableProps {
  /** For screen readers. */
  readonly caption: string;
  readonly children: ReactNode;
}

export function Table({ caption, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable with the keyboard
    <section aria-label={caption} tabIndex={0} className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <caption className="sr-only">{caption}</caption>
        {children}
      </table>
    </section>
  );
}

interface CellProps {
  readonly children?: ReactNode;
  /** Numbers are aligned to the right. */
  readonly isNumber?: boolean;
  readonly className?: string;
}

export function HeaderCell({ children, isNumber = false, className = '' }: CellProps) {
  return (
    <th
      scope="col"
      className={`h-9 border-b px-3 text-xs font-medium whitespace-nowrap text-secondary first:pl-0 last:pr-0 ${isNumber ? 'text-right' : 'text-left'} ${className}`}
    >
      {children}
    </th>
  );
}

export function Cell({ children, isNumber = false, className = '' }: CellProps) {
  return (
    <td
      className={`h-9 max-md:h-11 border-b border-line px-3 first:pl-0 last:pr-0 ${isNumber ? 'numeric text-right' : ''} ${className}`}
    >
      {children}
    </td>
  );
}

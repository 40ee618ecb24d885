import { type ReactNode, useEffect, useRef } from 'react';

/** The style of a link or button in a `TabBar`: the current one has `aria-current` or is pressed. */
export const tabStyle =
  '-mb-px inline-flex h-9 items-center border-b-2 border-transparent px-2.5 text-sm font-medium whitespace-nowrap ' +
  'text-secondary hover:text-text aria-[current=page]:border-accent aria-[current=page]:text-text ' +
  'aria-pressed:border-accent aria-pressed:text-text max-md:h-11';

interface TabBarProps {
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Tabs in one row. Where there is no room for all, it fades at the end and scrolls to the current one. */
export function TabBar({ label, className = '', children }: TabBarProps) {
  const bar = useRef<HTMLElement>(null);
  const last = useRef<Element>(null);
  useEffect(() => {
    const current = bar.current?.querySelector<HTMLElement>('[aria-current=page], [aria-pressed=true]');
    if (!bar.current || !current || current === last.current) return;
    last.current = current;
    const [row, tab] = [bar.current.getBoundingClientRect(), current.getBoundingClientRect()];
    if (tab.left < row.left || tab.right > row.right) bar.current.scrollLeft += tab.left - row.left;
  });
  return (
    <nav
      ref={bar}
      aria-label={label}
      className={`tab-bar flex items-center overflow-x-auto border-b border-line [scrollbar-width:none] ${className}`}
    >
      {children}
    </nav>
  );
}

/** How many there are, beside the label of a tab. */
export function TabCount({ children }: { readonly children: ReactNode }) {
  return <span className="numeric ml-1 text-xs font-normal text-faint">{children}</span>;
}

import type { ReactNode } from 'react';

interface PageProps {
  readonly title: string;
  /** Buttons at the right of the title. */
  readonly actions?: ReactNode;
  /** For pages of text and forms. */
  readonly isNarrow?: boolean;
  readonly children: ReactNode;
}

/** A page that scrolls as a whole. Lists have `ListPage`; the titles of both begin at the same edge. */
export function Page({ title, actions, isNarrow = false, children }: PageProps) {
  return (
    <div className={`grid gap-8 px-4 pt-2 pb-12 max-md:pt-5 md:px-8 ${isNarrow ? 'max-w-3xl' : 'max-w-6xl'}`}>
      <title>{`${title} · Chowk`}</title>
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

interface SectionProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Section({ title, lead, actions, children }: SectionProps) {
  return (
    <section className="grid min-w-0 content-start gap-3">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <div className="grid gap-0.5">
          <h2 className="font-semibold">{title}</h2>
          {lead && <p className="text-sm text-secondary">{lead}</p>}
        </div>
        {actions}
      </div>
      {children}
    </section>
  );
}

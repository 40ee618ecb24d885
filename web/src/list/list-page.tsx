import type { ReactNode } from 'react';

interface ListPageProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** The record that is open, beside the list or, on a narrow screen and with an element `data-wide`, instead of it. */
  readonly detail?: ReactNode;
  readonly children: ReactNode;
}

/** Views, filters and a table that fill the screen. */
export function ListPage({ title, actions, detail, children }: ListPageProps) {
  const Heading = detail ? 'h2' : 'h1';
  return (
    <div className="group/list flex h-(--page-height) min-h-0 print:h-auto">
      <div
        className={`flex min-w-0 flex-1 flex-col px-4 pt-2 group-has-data-wide/list:hidden max-md:pt-4 md:px-8 ${detail ? 'max-xl:hidden print:hidden' : ''}`}
      >
        {!detail && <title>{`${title} · Chowk`}</title>}
        <div className="flex min-h-9 flex-wrap items-center justify-between gap-x-4 gap-y-2 pb-3">
          <Heading className="text-xl font-semibold tracking-tight">{title}</Heading>
          {actions && <div className="flex flex-wrap gap-2">{actions}</div>}
        </div>
        {children}
      </div>
      {detail && (
        <aside className="relative min-w-0 overflow-y-auto border-line max-xl:flex-1 group-has-data-wide/list:flex-1 xl:w-[34rem] xl:border-l xl:group-has-data-wide/list:border-l-0 print:w-full print:border-0">
          {detail}
        </aside>
      )}
    </div>
  );
}

import type { ReactNode } from 'react';
import { BrandMark } from '../../ui/brand.tsx';

interface EntryLayoutProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** The pages before a session: one column, nothing else. */
export function EntryLayout({ title, lead, children }: EntryLayoutProps) {
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-88 content-center gap-6 px-4 py-12">
      <title>{`${title} · Chowk`}</title>
      <header className="grid gap-1">
        <div className="mb-5 flex items-center gap-2 text-lg font-semibold tracking-tight">
          <BrandMark size={22} />
          Chowk
        </div>
        <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
        {lead && <p className="text-secondary">{lead}</p>}
      </header>
      {children}
    </main>
  );
}

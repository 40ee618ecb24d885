import type { ReactNode } from 'react';
import { BrandMark } from './brand.tsx';

interface EntryLayoutProps {
  readonly title: string;
  readonly lead?: ReactNode;
  /** For longer pages, which begin at the top. */
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

const narrow = 'min-h-dvh max-w-88 content-center gap-6 py-12';
const wide = 'max-w-2xl gap-8 py-12 sm:px-8 sm:py-16';

/** The pages before a session: one column, nothing else. */
export function EntryLayout({ title, lead, isWide = false, children }: EntryLayoutProps) {
  return (
    <main className={`mx-auto grid w-full px-4 ${isWide ? wide : narrow}`}>
      <title>{`${title} · Chowk`}</title>
      <header className="grid gap-1">
        <div className="mb-5 flex items-center gap-2 text-lg font-semibold tracking-tight">
          <BrandMark size={22} />
          Chowk
        </div>
        <h1 className={`font-semibold tracking-tight ${isWide ? 'text-2xl' : 'text-xl'}`}>{title}</h1>
        {lead && <p className="max-w-xl text-secondary">{lead}</p>}
      </header>
      {children}
    </main>
  );
}

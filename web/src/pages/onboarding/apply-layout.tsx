import type { ReactNode } from 'react';
import { BrandMark } from '../../ui/brand.tsx';

interface ApplyLayoutProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** The pages of an applicant, who has no session yet. */
export function ApplyLayout({ title, lead, children }: ApplyLayoutProps) {
  return (
    <main className="mx-auto grid w-full max-w-2xl gap-8 px-4 py-12 sm:px-8 sm:py-16">
      <title>{`${title} · Chowk`}</title>
      <header className="grid gap-1">
        <div className="mb-5 flex items-center gap-2 text-lg font-semibold tracking-tight">
          <BrandMark size={22} />
          Chowk
        </div>
        <h1 className="text-2xl font-semibold tracking-tight">{title}</h1>
        {lead && <p className="max-w-xl text-secondary">{lead}</p>}
      </header>
      {children}
    </main>
  );
}

import type { ReactNode } from 'react';

interface SettingProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A part of a page of settings: what it is at the left, the control at the right. */
export function Setting({ title, lead, children }: SettingProps) {
  return (
    <section className="grid gap-x-10 gap-y-4 border-line not-last:border-b not-last:pb-8 md:grid-cols-[13rem_minmax(0,1fr)]">
      <div className="grid content-start gap-1">
        <h2 className="font-semibold">{title}</h2>
        {lead && <p className="text-sm text-secondary">{lead}</p>}
      </div>
      <div className="grid min-w-0 content-start gap-4">{children}</div>
    </section>
  );
}

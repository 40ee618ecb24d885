import { Link } from '@tanstack/react-router';
import { ArrowRight, BookOpen, CodeXml, KeyRound, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { DevelopersLayout } from './developers-layout.tsx';

/** What else a developer needs. */
export function ToolsPage() {
  return (
    <DevelopersLayout tab="/developers/tools">
      <ul className="grid w-full max-w-3xl content-start overflow-y-auto pb-12">
        <Tool icon={BookOpen} title="API reference" href="/docs/">
          Every action with its fields, errors and an example.
        </Tool>
        <li className="border-b border-line">
          <Link to="/profile" search={{ tab: 'tokens' }} className={style}>
            <ToolText icon={KeyRound} title="Personal access tokens">
              For scripts that act as you. They are part of your profile.
            </ToolText>
          </Link>
        </li>
        <Tool icon={CodeXml} title="OpenAPI description" href="/api/openapi.json">
          For generators of clients in any language.
        </Tool>
      </ul>
    </DevelopersLayout>
  );
}

const style = '-mx-3 flex items-center gap-3.5 rounded-control px-3 py-3 transition-colors hover:bg-sunken';

interface ToolTextProps {
  readonly icon: LucideIcon;
  readonly title: string;
  readonly children: ReactNode;
}

function Tool({ href, ...text }: ToolTextProps & { readonly href: string }) {
  return (
    <li className="border-b border-line">
      <a href={href} className={style}>
        <ToolText {...text} />
      </a>
    </li>
  );
}

function ToolText({ icon, title, children }: ToolTextProps) {
  return (
    <>
      <Icon icon={icon} size={18} className="shrink-0 text-secondary" />
      <span className="grid min-w-0 flex-1 gap-0.5">
        <span className="font-medium">{title}</span>
        <span className="text-sm text-secondary">{children}</span>
      </span>
      <Icon icon={ArrowRight} className="shrink-0 text-faint" />
    </>
  );
}

import { Outlet, useChildMatches } from '@tanstack/react-router';
import { MessagesSquare } from 'lucide-react';
import { keys } from '../../api/query-keys.ts';
import { useLive } from '../../live/use-live.ts';
import { Needs } from '../../shell/needs.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { liveFields } from './conversation-list.ts';
import { Queue } from './queue.tsx';

/** Who is waiting for an answer, and the conversation that is open. */
export function ConversationsPage() {
  return (
    <Needs permission="conversations.view">
      <Conversations />
    </Needs>
  );
}

function Conversations() {
  const isOpen = useChildMatches().length > 0;
  useLive(liveFields, keys.conversations.all);
  return (
    <div className="grid h-(--page-height) min-h-0 grid-rows-1 border-line lg:grid-cols-[22rem_minmax(0,1fr)] md:border-t">
      <Queue isOpen={isOpen} />
      {isOpen ? (
        <Outlet />
      ) : (
        <div className="grid content-center max-lg:hidden">
          <EmptyState icon={MessagesSquare} title="Choose a conversation">
            Press <Key>j</Key> and <Key>k</Key> to move, <Key>Enter</Key> to open.
          </EmptyState>
        </div>
      )}
    </div>
  );
}

function Key({ children }: { readonly children: string }) {
  return <kbd className="rounded-control border border-line bg-sunken px-1.5 font-sans text-sm">{children}</kbd>;
}

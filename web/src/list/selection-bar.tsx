import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { count } from '../format/numbers.ts';
import { useKeys } from '../keyboard/keys.ts';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import type { Selection } from './selection.ts';

interface SelectionBarProps {
  readonly selection: Selection;
  /** What can be done with the selected rows. */
  readonly children: ReactNode;
}

export function SelectionBar({ selection, children }: SelectionBarProps) {
  if (selection.ids.length === 0) return null;
  return <Bar selection={selection}>{children}</Bar>;
}

function Bar({ selection, children }: SelectionBarProps) {
  useKeys([{ key: 'Escape', label: 'Clear the selection', run: selection.clear }]);
  return (
    // Over the filters, so that the rows stay where they are.
    <div className="relative z-[2] h-0">
      <div
        role="toolbar"
        aria-label="Selected rows"
        className="absolute inset-x-0 bottom-1 flex flex-wrap items-center gap-2 rounded-panel bg-raised p-1.5 pl-4 shadow-raised"
      >
        <span className="numeric mr-2 font-medium">{count(selection.ids.length)} selected</span>
        {children}
        <IconButton label="Clear the selection" className="ml-auto" onClick={selection.clear}>
          <Icon icon={X} />
        </IconButton>
      </div>
    </div>
  );
}

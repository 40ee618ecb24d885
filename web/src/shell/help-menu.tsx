import { useLocation } from '@tanstack/react-router';
import { BookOpen, CircleHelp, CodeXml, Keyboard } from 'lucide-react';
import { IconButton } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { findGuide } from './guides.ts';

/** The guide of the page, in a tab of its own, so that nothing that was typed is lost. */
export function HelpMenu({ onShowKeys }: { readonly onShowKeys: () => void }) {
  const { title, href } = findGuide(useLocation().pathname);
  const open = (address: string) => () => void window.open(address, '_blank', 'noopener');
  const trigger = (
    <IconButton label="Help">
      <Icon icon={CircleHelp} size={18} />
    </IconButton>
  );
  return (
    <Menu trigger={trigger}>
      <MenuItem icon={BookOpen} onSelect={open(href)}>
        {title}
      </MenuItem>
      <MenuItem icon={CodeXml} onSelect={open('/docs/')}>
        API reference
      </MenuItem>
      <div className="max-md:hidden">
        {/* A dialog opens after the menu has closed. */}
        <MenuItem icon={Keyboard} onSelect={() => setTimeout(onShowKeys)}>
          Keyboard shortcuts
        </MenuItem>
      </div>
    </Menu>
  );
}

import type { Me } from '@chowk/client';
import { useNavigate } from '@tanstack/react-router';
import { LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react';
import { signOut } from '../session/session.ts';
import { chooseTheme, type Theme, useTheme } from '../theme.ts';
import { Menu, MenuHeading, MenuItem, MenuLine } from '../ui/menu.tsx';

const themes: readonly { readonly theme: Theme; readonly label: string; readonly icon: typeof Sun }[] = [
  { theme: 'system', label: 'System', icon: Monitor },
  { theme: 'light', label: 'Light', icon: Sun },
  { theme: 'dark', label: 'Dark', icon: Moon },
];

export function PersonMenu({ me: { name, email } }: { readonly me: Me }) {
  const chosen = useTheme();
  const navigate = useNavigate();
  const trigger = (
    <button type="button" className="grid size-9 shrink-0 place-items-center rounded-full max-md:size-11">
      <span className="sr-only">Account of {name}</span>
      <span
        aria-hidden
        className="grid size-7 place-items-center rounded-full bg-accent-tint text-xs font-semibold text-accent-strong"
      >
        {initials(name)}
      </span>
    </button>
  );
  return (
    <Menu trigger={trigger}>
      <div className="max-w-64 px-2.5 py-2">
        <div className="truncate font-medium">{name}</div>
        <div className="truncate text-sm text-secondary">{email}</div>
      </div>
      <MenuLine />
      <MenuItem icon={UserRound} onSelect={() => void navigate({ to: '/profile', search: {} })}>
        Profile
      </MenuItem>
      <MenuLine />
      <MenuHeading>Appearance</MenuHeading>
      {themes.map(({ theme, label, icon }) => (
        <MenuItem key={theme} icon={icon} isChosen={theme === chosen} onSelect={() => chooseTheme(theme)}>
          {label}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem icon={LogOut} onSelect={signOut}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.trim().split(/\s+/);
  const letters = [words[0], words.length > 1 ? words.at(-1) : ''].map((word) => [...(word ?? '')][0] ?? '');
  return letters.join('').toUpperCase();
}

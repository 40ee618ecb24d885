import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { Icon } from '../ui/icon.tsx';
import { Menu, MenuItem } from '../ui/menu.tsx';
import { type NavigationItem, onBottomBar, onPhoneLater } from './navigation.ts';

const style =
  'grid min-w-0 justify-items-center gap-0.5 py-1.5 text-[11px] leading-4 font-medium text-secondary data-[status=active]:text-accent-strong';

/** The navigation of a phone, within reach of the thumb. */
export function BottomBar({ items: all }: { readonly items: readonly NavigationItem[] }) {
  const navigate = useNavigate();
  const isLater = ({ to }: NavigationItem) => onPhoneLater.includes(to) || to.startsWith('/modules/');
  const items = [...all.filter((one) => !isLater(one)), ...all.filter(isLater)];
  const rest = items.slice(onBottomBar);
  const { pathname } = useLocation();
  const isMore = rest.some(({ to }) => pathname.startsWith(to));
  const more = (
    <button type="button" data-status={isMore ? 'active' : undefined} className={style}>
      <Icon icon={Ellipsis} size={20} />
      More
    </button>
  );
  return (
    <nav
      aria-label="Main"
      className="fixed inset-x-0 bottom-0 z-10 grid auto-cols-fr grid-flow-col border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] md:hidden print:hidden"
    >
      {items.slice(0, onBottomBar).map(({ to, label, icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} className={style}>
          <Icon icon={icon} size={20} />
          <span className="max-w-full truncate">{label}</span>
        </Link>
      ))}
      {rest.length > 0 && (
        <Menu trigger={more}>
          {rest.map(({ to, label, icon }) => (
            <MenuItem key={to} icon={icon} onSelect={() => void navigate({ to })}>
              {label}
            </MenuItem>
          ))}
        </Menu>
      )}
    </nav>
  );
}

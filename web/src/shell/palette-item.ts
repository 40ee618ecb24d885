import type { LucideIcon } from 'lucide-react';
import type { NavigationItem } from './navigation.ts';

export interface PaletteItem {
  readonly group: 'Customers' | 'Orders' | 'Products' | 'Go to' | 'Actions';
  readonly label: string;
  /** Beside the label. */
  readonly detail?: string | undefined;
  /** The keys that open the page without the palette. */
  readonly keys?: string;
  readonly icon: LucideIcon;
  /** The page it opens, or what it does. */
  readonly target: string | (() => void);
}

/** A page or an action of the palette. */
export interface Command extends Omit<PaletteItem, 'group'>, Pick<NavigationItem, 'permission' | 'tenantRole'> {}

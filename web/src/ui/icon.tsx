import type { LucideIcon } from 'lucide-react';

interface IconProps {
  readonly icon: LucideIcon;
  /** In pixels. */
  readonly size?: number;
  readonly strokeWidth?: number;
  /** What the icon says; without it, the icon is decoration. */
  readonly label?: string;
  readonly className?: string;
}

export function Icon({ icon: Shape, size = 16, strokeWidth = 1.5, label, className }: IconProps) {
  const meaning = label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label };
  return <Shape size={size} strokeWidth={strokeWidth} className={className} {...meaning} />;
}

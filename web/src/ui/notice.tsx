import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

const tones = {
  info: { look: 'bg-info-tint text-info', icon: Info },
  success: { look: 'bg-success-tint text-success', icon: CircleCheck },
  warning: { look: 'bg-warning-tint text-warning', icon: TriangleAlert },
  error: { look: 'bg-error-tint text-error', icon: CircleAlert },
};

interface NoticeProps {
  readonly tone?: keyof typeof tones;
  readonly children: ReactNode;
}

export function Notice({ tone = 'info', children }: NoticeProps) {
  const { look, icon } = tones[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={`flex gap-2.5 rounded-control px-3 py-2.5 text-sm ${look}`}
    >
      <Icon icon={icon} strokeWidth={1.75} className="mt-0.5 shrink-0" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

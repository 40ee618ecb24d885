import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Icon } from './icon.tsx';

const tones = {
  info: { style: 'bg-info-tint text-info', icon: Info },
  success: { style: 'bg-success-tint text-success', icon: CircleCheck },
  warning: { style: 'bg-warning-tint text-warning', icon: TriangleAlert },
  error: { style: 'bg-error-tint text-error', icon: CircleAlert },
};

interface NoticeProps {
  readonly tone?: keyof typeof tones;
  readonly children: ReactNode;
}

export function Notice({ tone = 'info', children }: NoticeProps) {
  const { style, icon } = tones[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={`flex gap-2.5 rounded-control px-3 py-2.5 text-sm ${style}`}
    >
      <Icon icon={icon} strokeWidth={1.75} className="mt-0.5 shrink-0" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

const tones = {
  info: { look: 'bg-info-tint text-info', Icon: Info },
  success: { look: 'bg-success-tint text-success', Icon: CircleCheck },
  warning: { look: 'bg-warning-tint text-warning', Icon: TriangleAlert },
  error: { look: 'bg-error-tint text-error', Icon: CircleAlert },
};

interface NoticeProps {
  readonly tone?: keyof typeof tones;
  readonly children: ReactNode;
}

export function Notice({ tone = 'info', children }: NoticeProps) {
  const { look, Icon } = tones[tone];
  return (
    <div
      role={tone === 'error' ? 'alert' : 'status'}
      className={`flex gap-2.5 rounded-control px-3 py-2.5 text-sm ${look}`}
    >
      <Icon size={16} strokeWidth={1.75} className="mt-0.5 shrink-0" aria-hidden />
      <div className="min-w-0">{children}</div>
    </div>
  );
}

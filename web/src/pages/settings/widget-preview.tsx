import { MessageCircle } from 'lucide-react';
import { textColor } from '../../format/text-color.ts';
import { Icon } from '../../ui/icon.tsx';
import type { SettingValues } from './use-settings.ts';

interface WidgetPreviewProps {
  readonly typed: SettingValues;
  /** That of the organization. */
  readonly name: string;
}

/** What these settings are in the chat, updated while they are typed. */
export function WidgetPreview({ typed, name }: WidgetPreviewProps) {
  const text = (key: string) => String(typed[`widget.${key}`] ?? '').trim();
  const background = /^#[\da-f]{6}$/i.test(text('color')) ? text('color') : '#1d4ed8';
  const brand = { background, color: textColor(background) };
  const isLeft = text('position') === 'left';
  return (
    <section aria-label="Preview" className="grid gap-3 rounded-panel bg-sunken p-4 text-sm">
      <div
        className={`grid w-64 max-w-full overflow-hidden rounded-panel bg-raised ${isLeft ? '' : 'justify-self-end'}`}
      >
        <div style={brand} className="grid px-4 py-3">
          <strong className="break-words">{name}</strong>
          {text('opening_hours') && <span className="text-xs break-words">{text('opening_hours')}</span>}
        </div>
        <div className="grid gap-2 p-3">
          {text('greeting') && (
            <p className="justify-self-start rounded-panel bg-sunken px-3 py-2 break-words whitespace-pre-line">
              {text('greeting')}
            </p>
          )}
          <p style={brand} className="justify-self-end rounded-panel px-3 py-2">
            Where is my order?
          </p>
        </div>
      </div>
      <span
        style={brand}
        className={`grid size-12 place-items-center rounded-full ${isLeft ? '' : 'justify-self-end'}`}
      >
        <Icon icon={MessageCircle} />
      </span>
    </section>
  );
}

import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { Icon } from '../ui/icon.tsx';

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export function OfflineBanner() {
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  return (
    <div role="status">
      {!isOnline && (
        <div
          className="flex h-(--banner) items-center justify-center gap-2 bg-warning-tint px-4 text-sm text-warning"
          data-banner
        >
          <Icon icon={WifiOff} />
          You are offline. What you see may be out of date.
        </div>
      )}
    </div>
  );
}

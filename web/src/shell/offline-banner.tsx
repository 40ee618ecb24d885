import { WifiOff } from 'lucide-react';
import { useSyncExternalStore } from 'react';

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
          <WifiOff size={16} strokeWidth={1.5} aria-hidden />
          You are offline. What you see may be out of date.
        </div>
      )}
    </div>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Image } from 'lucide-react';
import { useState } from 'react';
import { keys } from '../../api/query-keys.ts';
import { tenantKey } from '../../api/use-api.ts';
import { api, useTenant } from '../../session/session.ts';
import { Icon } from '../../ui/icon.tsx';

interface AttachedImageProps {
  readonly conversationId: string;
  readonly id: string;
}

/** Its height is fixed, so that messages do not move when it arrives. */
export function AttachedImage({ conversationId, id }: AttachedImageProps) {
  const tenant = useTenant();
  const [isBroken, setBroken] = useState(false);
  const { data } = useQuery({
    queryKey: tenantKey(tenant, keys.attachmentLink(id)),
    queryFn: () => api().conversations.linkAttachment({ id: conversationId, attachment: id }),
    // A link works for five minutes, and the picture stays when it has expired.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 240_000,
  });
  if (!data || isBroken) {
    return (
      <span className="grid h-40 w-56 max-w-full place-items-center rounded-control bg-sunken text-faint">
        <Icon icon={Image} />
      </span>
    );
  }
  return (
    <img
      src={ownAddress(data.url)}
      alt=""
      className="h-40 max-w-full rounded-control bg-sunken object-contain"
      onError={() => setBroken(true)}
    />
  );
}

/** Downloads of the platform come from the address of the console, which its policy always allows. */
function ownAddress(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname === '/files/download' ? pathname + search : url;
}

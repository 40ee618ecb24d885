import type { ProductImage } from '@chowk/client';
import { Image } from 'lucide-react';
import { Icon } from '../../ui/icon.tsx';

interface ThumbnailProps {
  readonly image: ProductImage | undefined;
  readonly className: string;
  /** Default: decorative, beside the name of the product. */
  readonly alt?: string;
}

export function Thumbnail({ image, className, alt = '' }: ThumbnailProps) {
  const style = `shrink-0 rounded-control border border-line bg-sunken ${className}`;
  if (!image) {
    return (
      <span className={`grid place-items-center text-faint ${style}`}>
        <Icon icon={Image} size={14} />
      </span>
    );
  }
  const smallest = image.sizes.at(-1)?.url ?? image.url;
  return <img src={smallest} alt={alt} loading="lazy" draggable={false} className={`object-cover ${style}`} />;
}

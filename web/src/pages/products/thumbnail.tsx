import type { ProductImage } from '@chowk/client';
import { Image, ImageOff } from 'lucide-react';

interface ThumbnailProps {
  readonly image: ProductImage | undefined;
  readonly className: string;
  /** Default: decorative, beside the name of the product. */
  readonly alt?: string;
}

export function Thumbnail({ image, className, alt = '' }: ThumbnailProps) {
  const look = `shrink-0 rounded-control border border-line bg-sunken ${className}`;
  // The page's policy allows no images of other sites.
  if (!image?.url.startsWith('/')) {
    const Icon = image ? ImageOff : Image;
    return (
      <span className={`grid place-items-center text-faint ${look}`} title={image && 'An image on another site'}>
        <Icon size={14} strokeWidth={1.5} aria-hidden />
      </span>
    );
  }
  const smallest = image.sizes.at(-1)?.url ?? image.url;
  return <img src={smallest} alt={alt} loading="lazy" className={`object-cover ${look}`} />;
}

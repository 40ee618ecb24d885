const height = 160;

/** A small copy of a picture, as a data URL; `undefined` if the browser cannot read it. */
export async function previewImage(file: File): Promise<string | undefined> {
  if (!file.type.startsWith('image/')) return undefined;
  try {
    const image = await createImageBitmap(file, { resizeHeight: height, resizeQuality: 'medium' });
    const canvas = document.createElement('canvas');
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext('2d')?.drawImage(image, 0, 0);
    image.close();
    return canvas.toDataURL('image/webp', 0.8);
  } catch {
    return undefined;
  }
}

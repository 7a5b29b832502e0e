// Reads pictures as pixels, to find QR codes in them.
import { orElse } from '../../domain/base/log.ts';

/** Larger pictures are scaled down first, px: a photograph of a screen has more than enough detail. */
const LARGEST = 1600;

/** Draws a source at this size or smaller. Null if it has no size (yet). */
export function pixelsOf(source: CanvasImageSource, width: number, height: number): ImageData | null {
  if (width === 0 || height === 0) return null;
  const scale = Math.min(1, LARGEST / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return null;
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** Pixels of a picture file; null if the browser cannot read it as a picture. */
export async function pixelsOfFile(file: Blob): Promise<ImageData | null> {
  const bitmap = await orElse(createImageBitmap(file), null, 'a file that is no picture');
  if (!bitmap) return null;
  const pixels = pixelsOf(bitmap, bitmap.width, bitmap.height);
  bitmap.close();
  return pixels;
}

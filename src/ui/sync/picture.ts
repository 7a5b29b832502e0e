// Pictures as pixels, for reading QR codes.
import { orElse } from '../../domain/base/log.ts';

/** Larger pictures are made smaller before they are read: a photograph of a screen has more than enough. */
const LARGEST = 1600;

/** Draws what can be drawn at its size or smaller. Null where it has no size (yet). */
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

/** A picture file's pixels; null where it is no picture that the browser knows. */
export async function pixelsOfFile(file: Blob): Promise<ImageData | null> {
  const bitmap = await orElse(createImageBitmap(file), null, 'a file that is no picture');
  if (!bitmap) return null;
  const pixels = pixelsOf(bitmap, bitmap.width, bitmap.height);
  bitmap.close();
  return pixels;
}

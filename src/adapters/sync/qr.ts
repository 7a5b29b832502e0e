// QR codes: drawn by uqr; read by the browser if it can, else by jsQR. Each is loaded only then.
import { log } from '../../domain/base/log.ts';
import { loadPart } from '../../domain/base/part.ts';

/**
 * Draws a QR code as rows of modules (true is dark) with a quiet zone of 2 modules. Throws
 * if the text is too long for any code.
 */
export async function drawQr(text: string): Promise<readonly (readonly boolean[])[]> {
  const { encode } = await loadPart(() => import('uqr'));
  return encode(text, { ecc: 'M', border: 2 }).data;
}

interface BarcodeDetectorLike {
  detect(image: ImageData): Promise<readonly { readonly rawValue: string }[]>;
}
interface BarcodeDetectorClass {
  new (options: { formats: readonly string[] }): BarcodeDetectorLike;
  getSupportedFormats(): Promise<readonly string[]>;
}

/** Reads the QR code in a picture; null if it finds none. */
export async function readQr(picture: ImageData): Promise<string | null> {
  const Detector = (globalThis as { BarcodeDetector?: BarcodeDetectorClass }).BarcodeDetector;
  try {
    if (Detector && (await Detector.getSupportedFormats()).includes('qr_code')) {
      const [found] = await new Detector({ formats: ['qr_code'] }).detect(picture);
      if (found) return found.rawValue;
    }
  } catch (error) {
    log.debug('The system’s reader of QR codes does not work; jsQR is used', error);
  }
  const { default: jsQR } = await loadPart(() => import('jsqr'));
  return jsQR(picture.data, picture.width, picture.height)?.data ?? null;
}

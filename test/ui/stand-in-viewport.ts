// The browser's own viewport, as a test says what a keyboard, a scroll or a zoom leaves visible of it.
import { onTestFinished, vi } from 'vitest';

export const PHONE = { width: 390, height: 844 };

export class StandInViewport extends EventTarget {
  height = PHONE.height;
  offsetTop = 0;
  scale = 1;

  becomes(now: Partial<Pick<StandInViewport, 'height' | 'offsetTop' | 'scale'>>, event = 'resize') {
    Object.assign(this, now);
    this.dispatchEvent(new Event(event));
  }
}

/** Takes the place of the browser's until the test ends. */
export function standInViewport(): StandInViewport {
  const viewport = new StandInViewport();
  vi.stubGlobal('visualViewport', viewport);
  onTestFinished(() => void vi.unstubAllGlobals());
  return viewport;
}

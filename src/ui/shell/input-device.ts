// Shows the styles which input device was used last: only keyboard users get a focus
// ring on elements that the app focused.
import { useEffect } from 'react';

/** Records pointers and keys in `data-hand` of the page: `touch` or `mouse`; absent after a key. */
export function useInputDevice(): void {
  useEffect(() => {
    const { dataset } = document.documentElement;
    const onPointer = ({ pointerType }: PointerEvent) => {
      dataset.hand = pointerType === 'touch' ? 'touch' : 'mouse';
    };
    const onKey = () => {
      delete dataset.hand;
    };
    document.addEventListener('pointerdown', onPointer, true);
    document.addEventListener('keydown', onKey, true);
    return () => {
      document.removeEventListener('pointerdown', onPointer, true);
      document.removeEventListener('keydown', onKey, true);
      onKey();
    };
  }, []);
}

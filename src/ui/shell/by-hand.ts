// Tells the styles what a person acted with last: a ring round what the app itself focused is for whoever uses keys.
import { useEffect } from 'react';

/** Follows pointers and keys in `data-hand` of the page: `touch`, `mouse`; absent after a key. */
export function useHand(): void {
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

// Words for a place in a document.

import { placeLabel } from '../../domain/chat/files.ts';
import type { SectionPlace } from '../../domain/chat/message.ts';
import { wordsFor } from './index.ts';
import { useTranslation } from './use-translation.ts';

/** `page 3`, `sheet Costs A1:C9`; a kind that a newer version wrote is named as stored. */
export function usePlaceWords(): (place: SectionPlace) => string {
  useTranslation('chat');
  return (place) => wordsFor('chat', `place.${place.kind}`, { name: place.name }) ?? placeLabel(place);
}

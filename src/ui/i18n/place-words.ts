// Where in a document something stands, in words.
import { useTranslation } from 'react-i18next';
import { placeLabel } from '../../domain/chat/files.ts';
import type { Place } from '../../domain/chat/message.ts';

/** `page 3`, `sheet Costs A1:C9`; a kind that a newer version wrote is named as it stands. */
export function usePlaceWords(): (place: Place) => string {
  const { t, i18n } = useTranslation('chat');
  return (place) => {
    const key = `place.${place.kind}`;
    return i18n.exists(key, { ns: 'chat' })
      ? t(key as 'place.page', { name: place.name })
      : placeLabel(place);
  };
}

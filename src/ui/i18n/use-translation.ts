// The words of a namespace for a component, which is drawn again when the language changes. Our own few lines instead of react-i18next: its
// hook copies the whole instance for each component that is drawn first (decision 1107).
import i18next, { type CustomTypeOptions, type TFunction } from 'i18next';
import { useSyncExternalStore } from 'react';
import { memoized } from '../../domain/base/once.ts';

type Namespace = keyof CustomTypeOptions['resources'];

const translators = memoized((language: string) =>
  memoized((namespace: Namespace) => i18next.getFixedT(language, namespace)),
);

function subscribe(changed: () => void): () => void {
  i18next.on('languageChanged', changed);
  return () => i18next.off('languageChanged', changed);
}

/** `t` says a key of `namespace`, or of the first of several; the others' are said as `name:key`. */
export function useTranslation<const N extends Namespace | readonly Namespace[]>(
  namespace: N,
): { readonly t: TFunction<N>; readonly language: string } {
  const first = (typeof namespace === 'string' ? namespace : namespace[0]) as Namespace;
  const t = useSyncExternalStore(subscribe, () => translators(i18next.language)(first));
  return { t: t as TFunction<N>, language: i18next.language };
}

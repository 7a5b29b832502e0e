// Gives a component the words of a namespace and renders it again when the language changes. Replaces react-i18next,
// whose hook copies the whole instance for each component on its first render (decision 1107).
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

/** `t` translates a key of `namespace`, or of the first of several; keys of the others are written `name:key`. */
export function useTranslation<const N extends Namespace | readonly Namespace[]>(
  namespace: N,
): { readonly t: TFunction<N>; readonly language: string } {
  const first = (typeof namespace === 'string' ? namespace : namespace[0]) as Namespace;
  const t = useSyncExternalStore(subscribe, () => translators(i18next.language)(first));
  return { t: t as TFunction<N>, language: i18next.language };
}

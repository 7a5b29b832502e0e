/** Makes something when it is asked for first, and keeps it: what the start of the page does not use must not cost it time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same function, which makes each thing once. Keeps all of them: for as long as it is kept itself. */
export function memoized<K, V>(make: (of: K) => V): (of: K) => V {
  const known = new Map<K, { readonly value: V }>();
  return (of) => {
    const made = known.get(of) ?? { value: make(of) };
    known.set(of, made);
    return made.value;
  };
}

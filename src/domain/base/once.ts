/** Makes a value at its first use and keeps it, so that the start of the page pays for nothing that it does not use. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Wraps a function so that it makes each value once. The wrapper keeps all values for as long as it lives. */
export function memoized<K, V>(make: (of: K) => V): (of: K) => V {
  const known = new Map<K, { readonly value: V }>();
  return (of) => {
    const made = known.get(of) ?? { value: make(of) };
    known.set(of, made);
    return made.value;
  };
}

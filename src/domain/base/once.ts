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

/** Wraps a function so that it makes the value for one argument once, as long as it is asked for no other. */
export function keepingLast<K, V>(make: (of: K) => V): (of: K) => V {
  let last: { readonly of: K; readonly value: V } | undefined;
  return (of) => {
    if (!last || last.of !== of) last = { of, value: make(of) };
    return last.value;
  };
}

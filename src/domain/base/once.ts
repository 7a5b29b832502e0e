/** Makes something when it is asked for first, and keeps it: what the start of the page does not use must not cost it time. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

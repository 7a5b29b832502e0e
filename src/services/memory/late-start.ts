// Delays index and model until the page is usable, or until the first request for them.

/** A start that waits. */
export interface LateStart {
  /** Resolves when the start is due. Never rejects. */
  readonly begun: Promise<void>;
  /** Ends the wait because a caller needs the result. */
  begin(): void;
}

/** Makes a start that is due when `usable` has settled, or when `begin` is called. */
export function createLateStart(usable: Promise<unknown>): LateStart {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  usable.then(begin, begin);
  return { begun, begin };
}

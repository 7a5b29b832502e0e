// Delays the index and the model until the page can be used, or until somebody asks for them before.

/** A start that waits. */
export interface LateStart {
  /** Resolves once it is to begin. Never rejects. */
  readonly begun: Promise<void>;
  /** Somebody wants what it makes: it waits no longer. */
  begin(): void;
}

/** Makes one that begins when `usable` has settled, or is asked for. */
export function createLateStart(usable: Promise<unknown>): LateStart {
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  usable.then(begin, begin);
  return { begun, begin };
}

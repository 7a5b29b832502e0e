// Counts how often components are drawn, by name, as React's own developer tools do. Imported before
// React, which looks for the hook once.
interface Fiber {
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
  readonly flags: number;
  readonly type: unknown;
}

/** Set on a fiber whose component function ran in this commit. */
const PERFORMED_WORK = 1;

declare global {
  /** One for the page: files share it, and this module may be loaded twice. */
  var drawnComponents: Map<string, number> | undefined;
}
const isFirst = globalThis.drawnComponents === undefined;
globalThis.drawnComponents ??= new Map();
const counts = globalThis.drawnComponents;

const nameOf = (type: unknown): string => {
  if (typeof type === 'function') return type.name;
  const { displayName, type: inner, render } = (type ?? {}) as Record<string, unknown>;
  return typeof displayName === 'string' ? displayName : inner || render ? nameOf(inner ?? render) : '';
};

function count(fiber: Fiber): void {
  const name = typeof fiber.type === 'string' ? '' : nameOf(fiber.type);
  if (name && fiber.flags & PERFORMED_WORK) counts.set(name, (counts.get(name) ?? 0) + 1);
}

/** Children that are the same objects as before were not drawn, and neither was anything below them. */
function visit(fiber: Fiber, before: Fiber | null): void {
  if (fiber !== before) count(fiber);
  if (before && fiber.child === before.child) return;
  for (let child = fiber.child; child; child = child.sibling) visit(child, child.alternate);
}

const hook = {
  __REACT_DEVTOOLS_GLOBAL_HOOK__: {
    supportsFiber: true,
    isDisabled: false,
    renderers: new Map(),
    inject: () => 1,
    checkDCE: () => undefined,
    onCommitFiberRoot: (_: number, { current }: { current: Fiber }) => visit(current, current.alternate),
    onCommitFiberUnmount: () => undefined,
    onPostCommitFiberRoot: () => undefined,
    onScheduleFiberRoot: () => undefined,
  },
};
if (isFirst) Object.assign(globalThis, hook);

/** Starts counting; the result says how often a component has been drawn since then. */
export function countRenders(): (component: string) => number {
  counts.clear();
  return (component) => counts.get(component) ?? 0;
}

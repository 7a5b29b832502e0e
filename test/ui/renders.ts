// Counts how often components are drawn, by name, as React's own developer tools do. Imported before React, which looks for the hook once.
interface Fiber {
  readonly child: Fiber | null;
  readonly sibling: Fiber | null;
  readonly alternate: Fiber | null;
  readonly flags: number;
  readonly type: unknown;
}

/** Set on a fiber whose component function ran in this commit. */
const PERFORMED_WORK = 1;

const counts = new Map<string, number>();

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

Object.assign(globalThis, {
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
});

/** Starts counting; the result says how often a component has been drawn since then. */
export function countRenders(): (component: string) => number {
  counts.clear();
  return (component) => counts.get(component) ?? 0;
}

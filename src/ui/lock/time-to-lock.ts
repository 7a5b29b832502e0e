// Decides when a device locks itself.

/** True if it is time to lock. All in ms; a limit of 0 disables it. */
export function isTimeToLock(
  now: number,
  { active, hiddenSince }: { readonly active: number; readonly hiddenSince: number | null },
  limits: { readonly idle: number; readonly hidden: number },
): boolean {
  if (limits.idle > 0 && now - active >= limits.idle) return true;
  // Another tab may be visible.
  const away = hiddenSince === null ? 0 : now - Math.max(hiddenSince, active);
  return limits.hidden > 0 && away >= limits.hidden;
}

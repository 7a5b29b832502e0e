// The app's logo in the text colour.
export function Logo({ size = 20, className }: { size?: number; className?: string }) {
  return (
    <svg viewBox="0 0 512 512" width={size} height={size} aria-hidden="true" className={className}>
      <path
        d="M398 160A172 172 0 1 0 428 256"
        fill="none"
        stroke="currentColor"
        strokeWidth="52"
        strokeLinecap="round"
      />
      <circle cx="256" cy="256" r="60" className="fill-memory-strong" />
    </svg>
  );
}

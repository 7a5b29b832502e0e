// A QR code as a crisp drawing. Dark on light in both themes, because many readers require it.

/** One path for all dark modules: each run in a row is one rectangle. */
function pathOf(rows: readonly (readonly boolean[])[]): string {
  const parts: string[] = [];
  rows.forEach((row, y) => {
    for (let x = 0; x < row.length; x += 1) {
      if (!row[x]) continue;
      let end = x;
      while (row[end + 1]) end += 1;
      parts.push(`M${x} ${y}h${end - x + 1}v1h-${end - x + 1}z`);
      x = end;
    }
  });
  return parts.join('');
}

export function QrCode({
  rows,
  label,
  className,
}: {
  rows: readonly (readonly boolean[])[];
  label: string;
  className?: string;
}) {
  const size = rows.length;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={className}
    >
      <rect width={size} height={size} fill="var(--qr-light)" />
      <path d={pathOf(rows)} fill="var(--qr-dark)" />
    </svg>
  );
}

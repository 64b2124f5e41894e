interface SkeletonProps {
  /** Announced once to screen readers. */
  label: string
  rows: number
  /** The height of a row, by default that of a row with a picture. */
  rowClass?: string
}

/** Placeholder lines in rows of the final height, for loading content. */
export function Skeleton({ label, rows, rowClass = 'h-12' }: SkeletonProps) {
  return (
    <div aria-busy="true" className="grid gap-2 px-5 pb-5">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={rowClass}>
          <div className="skeleton h-3 w-3/5" />
        </div>
      ))}
    </div>
  )
}

/** Grey placeholder bars for loading content; `label` announces them once to screen readers. */
export function Skeleton({ label, rows, rowClass = 'h-12' }: { label: string; rows: number; rowClass?: string }) {
  return (
    <div aria-busy="true" className="grid gap-2 px-5 pb-5">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className={`skeleton ${rowClass}`} />
      ))}
    </div>
  )
}

interface RankedBarsProps {
  /** Largest first. `value` is the formatted amount; `title` is a tooltip, the name by default. */
  rows: { key: string; name: string; title?: string; value: string; amount: number; isBad?: boolean }[]
}

/** Names with their amounts, each with a bar relative to the largest. */
export function RankedBars({ rows }: RankedBarsProps) {
  const most = Math.max(...rows.map(({ amount }) => amount)) || 1
  return (
    <ul className="grid grid-cols-[minmax(0,1fr)_minmax(0,0.8fr)_auto] gap-x-3">
      {rows.map(({ key, name, title = name, value, amount, isBad }) => (
        <li key={key} className="col-span-full grid min-h-8 grid-cols-subgrid items-center">
          <span className="truncate" title={title}>
            {name}
          </span>
          <span aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-line">
            <span
              className={`block h-full rounded-full ${isBad ? 'bg-data-bad' : 'bg-data'}`}
              style={{ width: `${(amount / most) * 100}%` }}
            />
          </span>
          <span className="min-w-10 text-right whitespace-nowrap">{value}</span>
        </li>
      ))}
    </ul>
  )
}

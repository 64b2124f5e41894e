import { useId } from 'react'

const number = new Intl.NumberFormat('en')

/** An entry of a legend, with its total. */
export function LegendItem({ name, total, isFailed = false }: { name: string; total: number; isFailed?: boolean }) {
  const hatchId = useId()
  return (
    <li className="flex items-center gap-1.5">
      <svg aria-hidden="true" className="size-2.5 rounded-[3px]">
        <Hatch id={hatchId} />
        <rect width="10" height="10" fill={isFailed ? `url(#${hatchId})` : 'var(--data)'} />
      </svg>
      {name} <strong className="font-[620] text-ink">{number.format(total)}</strong>
    </li>
  )
}

/** The pattern of failures, which differ from other bars by more than their colour. */
export function Hatch({ id }: { id: string }) {
  return (
    <pattern id={id} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="5" height="5" fill="var(--data-bad)" />
      <rect width="1.5" height="5" fill="var(--card)" />
    </pattern>
  )
}

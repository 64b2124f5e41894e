import { formatTotal } from './total.ts'

interface CountProps {
  total: number
  noun: readonly [singular: string, plural: string]
  isExact?: false | undefined
}

/** The number of a column whose header has the noun; on a card, which has no header, the noun follows. */
export function Count({ total, noun: [singular, plural], isExact }: CountProps) {
  return (
    <>
      {formatTotal(total, isExact)}
      <span className="sm:hidden"> {total === 1 ? singular : plural}</span>
    </>
  )
}

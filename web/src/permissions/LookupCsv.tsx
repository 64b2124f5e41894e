import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { failureOf } from '../app/api.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import type { Side } from './compare.ts'
import { saveCsv } from './csv.ts'
import type { Section } from './LookupSection.tsx'
import { readLines } from './lookup-csv.ts'
import type { Parts } from './lookup-search.ts'

interface LookupCsvProps {
  fileName: string
  sections: readonly Section[]
  /** What the parts of a comparison are called. */
  parts: Parts | undefined
  /** Saved alone, where two are compared. */
  side: Side | undefined
}

/** Saves all that was asked for as a table; what has not been read for the page is read first. */
export function LookupCsv({ fileName, sections, parts, side }: LookupCsvProps) {
  const [count, setCount] = useState<number>()
  const [failure, setFailure] = useState<Failure>()
  const asking = useRef<AbortController>(undefined)
  useEffect(() => () => asking.current?.abort(), [])

  async function save() {
    asking.current = new AbortController()
    const { signal } = asking.current
    setFailure(undefined)
    setCount(0)
    try {
      const onRead = (more: number) => setCount((before = 0) => before + more)
      saveCsv(fileName, await readLines(sections, parts, side, { onRead, signal }))
    } catch (error) {
      if (!signal.aborted) setFailure(failureOf(error))
    } finally {
      setCount(undefined)
    }
  }

  if (count !== undefined)
    return (
      <>
        <p role="status" className="text-ink2">
          Reading all of it: {count.toLocaleString('en')} so far.
        </p>
        <Button isSmall onClick={() => asking.current?.abort()}>
          Cancel
        </Button>
      </>
    )
  return (
    <>
      <Button isSmall onClick={() => void save()}>
        <Download size={15} />
        {parts && side ? `CSV of “${parts[side]}”` : 'CSV of all'}
      </Button>
      {failure && (
        <div className="basis-full">
          <ErrorCard failure={failure} onRetry={() => void save()} />
        </div>
      )}
    </>
  )
}

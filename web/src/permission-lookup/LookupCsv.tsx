import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { saveCsv } from '../permissions/csv.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import type { Side } from './compare.ts'
import type { Section } from './LookupSection.tsx'
import { loadCsvLines } from './lookup-csv.ts'
import type { PartLabels } from './lookup-search.ts'

interface LookupCsvProps {
  fileName: string
  sections: readonly Section[]
  /** The names of a comparison's parts. */
  parts: PartLabels | undefined
  /** The only part to save, in a comparison. */
  side: Side | undefined
}

/** Downloads all results as CSV, after reading the remaining pages. */
export function LookupCsv({ fileName, sections, parts, side }: LookupCsvProps) {
  const [count, setCount] = useState<number>()
  const [failure, setFailure] = useState<Failure>()
  const controller = useRef<AbortController>(undefined)
  useEffect(() => () => controller.current?.abort(), [])

  async function save() {
    controller.current = new AbortController()
    const { signal } = controller.current
    setFailure(undefined)
    setCount(0)
    try {
      const onRead = (more: number) => setCount((before = 0) => before + more)
      saveCsv(fileName, await loadCsvLines(sections, parts, side, { onRead, signal }))
    } catch (error) {
      if (!signal.aborted) setFailure(toFailure(error))
    } finally {
      setCount(undefined)
    }
  }

  if (count !== undefined)
    return (
      <>
        <p role="status" className="text-ink2">
          Exporting: {count.toLocaleString('en')} rows so far
        </p>
        <Button isSmall onClick={() => controller.current?.abort()}>
          Cancel
        </Button>
      </>
    )
  return (
    <>
      <Button isSmall onClick={() => void save()}>
        <Download size={15} />
        {parts && side ? `Export “${parts[side]}” as CSV` : 'Export CSV'}
      </Button>
      {failure && (
        <div className="basis-full">
          <ErrorCard failure={failure} onRetry={() => void save()} />
        </div>
      )}
    </>
  )
}

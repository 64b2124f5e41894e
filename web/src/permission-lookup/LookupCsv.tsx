import { Download } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { toFailure } from '../app/api.ts'
import { saveCsv } from '../app/save-csv.ts'
import { printReference } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import type { PartLabels, Side } from './lookup-search.ts'
import { type LookupItem, loadAllResults, type ResultTable } from './lookups.ts'
import { findPartLabel, type MatrixRow, sideOf, toMatrixRows } from './matrix.ts'

interface LookupCsvProps {
  fileName: string
  tables: readonly ResultTable[]
  /** The labels of a comparison. */
  parts: PartLabels | undefined
  /** In a comparison, the side to save; undefined for all. */
  side: Side | undefined
}

/** A button that loads the remaining pages and downloads all results as CSV. */
export function LookupCsv({ fileName, tables, parts, side }: LookupCsvProps) {
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
      const lines = [[...heads, ...(parts ? ['comparison'] : [])]]
      for (const table of tables) {
        const rows = await loadAllResults(table, (more) => setCount((before = 0) => before + more), signal)
        lines.push(...toMatrixRows(table, rows, side).flatMap((row) => toLines(row, table, parts, side)))
      }
      saveCsv(fileName, lines)
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

const heads = ['type', 'id', 'relation', 'permission', 'answer', 'missing context', 'excluded']

/** Returns a line for each cell with a result. */
const toLines = (
  { id, cells }: MatrixRow,
  { resultType, columns }: ResultTable,
  parts: PartLabels | undefined,
  side: Side | undefined,
): string[][] =>
  cells.flatMap((cell, index) => {
    if (!cell || (side && sideOf(cell) !== side)) return []
    const { permissionship, partialCaveatMissing, excluded = [] } = (cell.left ?? cell.right) as LookupItem
    return [
      [
        resultType.type,
        id,
        resultType.relation ?? '',
        columns[index]?.permission ?? '',
        permissionship === 'conditional' ? 'depends' : 'allowed',
        partialCaveatMissing.join(' '),
        excluded.map((subject) => printReference({ ...resultType, id: subject.id })).join(' '),
        ...(parts ? [findPartLabel(cell, parts)] : []),
      ],
    ]
  })

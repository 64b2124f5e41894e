import { ChevronDown } from 'lucide-react'
import { type RefObject, useCallback, useRef } from 'react'
import { RowName } from '../directory/RowName.tsx'
import { ObjectName, useObjectName } from '../permissions/ObjectName.tsx'
import { objectKindOf } from '../permissions/object-kind.ts'
import { printReference } from '../permissions/reference.ts'
import { Verdict, verdictWord } from '../permissions/Verdict.tsx'
import { Picture } from '../ui/ObjectIcon.tsx'
import { Tag } from '../ui/Tag.tsx'
import type { PartLabels, SubjectType } from './lookup-search.ts'
import type { LookupItem, ResultTable } from './lookups.ts'
import { findDiffering, findPartLabel, type MatrixCell, type MatrixRow } from './matrix.ts'
import { PermissionPath } from './PermissionPath.tsx'

/** The avatar, name and reference of a result; for everyone, the exceptions of each permission. */
export function ResultName({
  row,
  table,
  parts,
}: {
  row: MatrixRow
  table: ResultTable
  parts: PartLabels | undefined
}) {
  const { resultType, columns } = table
  const object = { type: resultType.type, id: row.id }
  const reference = printReference({ ...resultType, id: row.id })
  const objectName = useObjectName(object)
  const name = row.id === '*' ? 'Everyone' : objectName
  const code = <code className="font-mono text-[12.5px] [overflow-wrap:anywhere]">{reference}</code>
  return (
    <>
      <RowName
        picture={<Picture kind={objectKindOf(object.type)} id={object.id} name={name ?? object.id} />}
        name={name === undefined ? code : <span className="font-[560]">{name}</span>}
        detail={name !== undefined && code}
      />
      {row.id === '*' &&
        row.cells.map((cell, column) => {
          if (!cell) return null
          const { permission = '' } = columns[column] ?? {}
          const differing = findDiffering(cell)
          return (
            <div key={permission} className="mt-1 ml-[44px] text-[13px] text-ink2">
              {columns.length > 1 && `${permission}: `}
              <Excluded result={(cell.left ?? cell.right) as LookupItem} type={resultType} />
              {differing && parts && (
                <>
                  {' '}
                  {parts.other}: <Excluded result={differing} type={resultType} />
                </>
              )}
            </div>
          )
        })}
    </>
  )
}

/** The subjects excluded from the wildcard. */
function Excluded({ result: { excluded = [] }, type }: { result: LookupItem; type: SubjectType }) {
  if (excluded.length === 0) return 'No exceptions'
  return (
    <>
      Except{' '}
      {excluded.map(({ id, permissionship, partialCaveatMissing }, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <code className="font-mono text-[12.5px] text-ink [overflow-wrap:anywhere]">
            {printReference({ ...type, id })}
          </code>
          <ObjectName type={type.type} id={id} />
          {permissionship === 'conditional' && ` (depends on ${partialCaveatMissing.join(', ')})`}
        </span>
      ))}
      .
    </>
  )
}

interface CellProps {
  cell: MatrixCell
  permission: string
  reference: string
  parts: PartLabels | undefined
  isOpen: boolean
  tabIndex: number
  column: number
  onFocus: () => void
  onToggle: () => void
}

/** An answer, and its part in a comparison. */
export function Cell({ cell, permission, reference, parts, isOpen, column, onToggle, ...focus }: CellProps) {
  const { permissionship, partialCaveatMissing: missing } = (cell.left ?? cell.right) as LookupItem
  const differing = findDiffering(cell)
  const condition = missing.length > 0 ? ` on ${missing.join(', ')}` : ''
  return (
    <>
      <span className="ml-2 font-mono text-[12.5px] text-ink2 sm:hidden">{permission}</span>
      <button
        type="button"
        data-column={column}
        aria-expanded={isOpen}
        aria-label={`${verdictWord(permissionship)}${condition}: ${permission}, ${reference}`}
        className="group inline-flex min-h-8 flex-wrap items-center gap-x-1.5 rounded-ctl px-2 text-left hover:bg-well pointer-coarse:min-h-11"
        onClick={onToggle}
        {...focus}
      >
        <Verdict permissionship={permissionship} missing={missing} />
        <ChevronDown size={14} aria-hidden="true" className="text-ink3 group-aria-expanded:rotate-180" />
      </button>
      {parts && (
        <span className="flex flex-wrap items-center gap-x-2 px-2 text-[13px] text-ink2">
          <Tag>{findPartLabel(cell, parts)}</Tag>
          {differing && (
            <>
              {parts.other}:{' '}
              <Verdict permissionship={differing.permissionship} missing={differing.partialCaveatMissing} />
            </>
          )}
        </span>
      )}
    </>
  )
}

interface ReasonProps {
  row: MatrixRow
  column: number
  table: ResultTable
  shouldReveal: RefObject<boolean>
}

/** The path by which a result has a permission. */
export function Reason({ row, column, table, shouldReveal }: ReasonProps) {
  const area = useRef<HTMLTableCellElement>(null)
  const onLoaded = useCallback(() => {
    if (shouldReveal.current) area.current?.scrollIntoView({ block: 'nearest' })
    shouldReveal.current = false
  }, [shouldReveal])
  const asked = table.columns[column]
  const lookup = row.cells[column]?.left ? asked?.left : (asked?.right ?? asked?.left)
  if (!lookup) return null
  return (
    <td
      ref={area}
      role="cell"
      aria-colspan={table.columns.length + 1}
      className="col-span-full mt-1.5 scroll-my-2 rounded-ctl bg-well px-3 py-2.5 max-sm:basis-full"
    >
      <PermissionPath key={asked?.permission} question={lookup.toQuestion(row.id)} onLoaded={onLoaded} />
    </td>
  )
}

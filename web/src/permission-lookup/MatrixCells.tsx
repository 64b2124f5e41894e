import { Link } from '@tanstack/react-router'
import { type RefObject, useCallback, useRef } from 'react'
import { toCheckSearch } from '../permissions/check-search.ts'
import { ObjectLabel, ObjectPicture, ObjectUsername } from '../permissions/ObjectName.tsx'
import { printReference } from '../permissions/reference.ts'
import { formatVerdict, Verdict, VerdictMark } from '../permissions/Verdict.tsx'
import { Tag } from '../ui/Tag.tsx'
import type { PartLabels, SubjectType } from './lookup-search.ts'
import type { LookupItem, ResultTable } from './lookups.ts'
import { findDifferingResult, findPartLabel, type MatrixCell, type MatrixRow } from './matrix.ts'
import { PermissionPath, Through } from './PermissionPath.tsx'

interface ResultNameProps {
  row: MatrixRow
  table: ResultTable
  parts: PartLabels | undefined
}

/** The picture and name of a result, and for the wildcard the exceptions of each permission. */
export function ResultName({ row, table, parts }: ResultNameProps) {
  const { resultType, columns } = table
  const object = { ...resultType, id: row.id }
  return (
    <span className="flex min-h-7 min-w-0 items-center gap-2.5 leading-snug">
      <ObjectPicture object={object} size={28} />
      {row.id === '*' ? (
        <span className="min-w-0">
          <ObjectLabel object={object} />
          {row.cells.map((cell, column) => {
            if (!cell) return null
            const { permission = '' } = columns[column] ?? {}
            const differing = findDifferingResult(cell)
            return (
              <span key={permission} className="block text-[13px] text-ink2">
                {columns.length > 1 && `${permission}: `}
                <Excluded result={(cell.left ?? cell.right) as LookupItem} type={resultType} />
                {differing && parts && (
                  <>
                    {' '}
                    {parts.other}: <Excluded result={differing} type={resultType} />
                  </>
                )}
              </span>
            )
          })}
        </span>
      ) : (
        // On a phone, the line of a username is reserved until it is known.
        <span
          className={`min-w-0 max-sm:grid sm:contents ${resultType.type === 'passport/user' ? 'max-sm:h-[37px] max-sm:content-start' : ''}`}
        >
          <ObjectLabel object={object} />
          <ObjectUsername object={object} />
        </span>
      )}
    </span>
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
          <span className="[&>*+*]:ml-1.5">
            <ObjectLabel object={{ ...type, id }} />
            <ObjectUsername object={{ ...type, id }} />
          </span>
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
  /** Whether the cell names its permission in a small window. */
  isNamed: boolean
  isOpen: boolean
  tabIndex: number
  column: number
  onFocus: () => void
  onToggle: () => void
}

/** The verdict of a result and a permission, as a button that toggles the path. In a comparison, its label follows. */
export function Cell({ cell, permission, reference, parts, isNamed, isOpen, column, onToggle, ...focus }: CellProps) {
  const { permissionship, partialCaveatMissing: missing } = (cell.left ?? cell.right) as LookupItem
  const differing = findDifferingResult(cell)
  const condition = missing.length > 0 ? ` on ${missing.join(', ')}` : ''
  return (
    <>
      {isNamed && <span className="font-mono text-[12.5px] text-ink2 sm:hidden">{permission}</span>}
      <button
        type="button"
        data-column={column}
        aria-expanded={isOpen}
        aria-label={`${formatVerdict(permissionship)}${condition}: ${permission}, ${reference}`}
        className="group inline-grid min-h-9 min-w-9 place-items-center rounded-ctl pointer-coarse:min-h-11 pointer-coarse:min-w-11"
        onClick={onToggle}
        {...focus}
      >
        <VerdictMark permissionship={permissionship} />
      </button>
      {missing.length > 0 && (
        <span className="text-[12px] leading-tight text-ink3 [overflow-wrap:anywhere]">on {missing.join(', ')}</span>
      )}
      {parts && (
        <span className="flex flex-wrap items-center gap-x-2 text-[13px] text-ink2 sm:justify-center">
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
  /** Set if the path is to be scrolled into view once it is loaded. */
  shouldReveal: RefObject<boolean>
}

/** The path by which a result has a permission, below the row. */
export function Reason({ row, column, table, shouldReveal }: ReasonProps) {
  const area = useRef<HTMLTableCellElement>(null)
  const onLoaded = useCallback(() => {
    if (shouldReveal.current) area.current?.scrollIntoView({ block: 'nearest' })
    shouldReveal.current = false
  }, [shouldReveal])
  const { permission, left, right } = table.columns[column] ?? {}
  const lookup = row.cells[column]?.left ? left : (right ?? left)
  if (!lookup) return null
  return (
    <td
      ref={area}
      role="cell"
      aria-colspan={table.columns.length + 2}
      className="col-span-full mt-1.5 scroll-my-2 rounded-ctl bg-well px-3 py-2.5 max-sm:basis-full"
    >
      <PermissionPath key={permission} question={lookup.toQuestion(row.id)} onLoaded={onLoaded} />
    </td>
  )
}

interface RowPathProps {
  row: MatrixRow
  table: ResultTable
  /** Whether only the link is shown in a small window. */
  isOneLine: boolean
}

/** The first object on the path to a result's first permission, and a link to the full explanation. */
export function RowPath({ row, table, isOneLine }: RowPathProps) {
  const column = row.cells.findIndex(Boolean)
  const { left, right } = table.columns[column] ?? {}
  const lookup = row.cells[column]?.left ? left : right
  const question = lookup?.toQuestion(row.id)
  return (
    <td
      role="cell"
      data-through
      className={`flex min-w-0 items-center justify-between gap-3 sm:[grid-column:-2/-1] sm:pl-4 ${isOneLine ? '[&>span]:max-sm:hidden' : 'max-sm:flex-1'}`}
    >
      {question && <Through question={question} />}
      {question && row.id !== '*' && (
        <Link
          to="/admin/tools/permissions/check"
          search={toCheckSearch(question) as never}
          aria-label={`Why: ${printReference({ ...table.resultType, id: row.id })}`}
          className="link ml-auto text-[13px] leading-9 pointer-coarse:leading-[44px]"
        >
          Why
        </Link>
      )}
    </td>
  )
}

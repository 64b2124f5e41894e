import type { Preference } from '@passport/contract/preferences'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TableCell, TableRow } from '../ui/Table.tsx'
import { canSave, hintOf, isChanged, keyFault, type Row } from './rows.ts'

interface RowProps {
  row: Row
  onEdit: (row: Row, by: Partial<Preference>) => void
  onSave: (row: Row) => void
  onRemove: (row: Row) => void
}

/** One preference: what it is called, what it is, and what to do with it. Enter saves. */
export function PreferenceRow({ row, onEdit, onSave, onRemove }: RowProps) {
  const { key, value, saved, state, complaint } = row
  const isSavable = canSave(key) && isChanged(row) && state !== 'saving'
  const name = saved?.key ?? key
  return (
    <Cells
      onEnter={() => isSavable && onSave(row)}
      keyField={
        <Field
          label={`Key of ${name}`}
          isLabelHidden
          className="font-mono text-[13px]"
          value={key}
          error={keyFault(key)}
          onChange={({ target }) => onEdit(row, { key: target.value })}
        />
      }
      valueField={
        <Field
          label={`Value of ${name}`}
          isLabelHidden
          value={value}
          hint={hintOf(row)}
          onChange={({ target }) => onEdit(row, { value: target.value })}
        />
      }
      complaint={
        complaint && <Complaint text={complaint} onRetry={isSavable && !saved ? () => onSave(row) : undefined} />
      }
    >
      <Button
        isSmall
        isBusy={state === 'saving'}
        disabled={!isSavable}
        onClick={() => onSave(row)}
        aria-label={`Save ${name}`}
      >
        {isChanged(row) && <span className="size-2 rounded-full bg-warn" title="Not saved" />}
        Save
      </Button>
      <Button
        isSmall
        look="ghost"
        className="btn-danger"
        disabled={state === 'saving'}
        onClick={() => onRemove(row)}
        aria-label={`Delete ${name}`}
      >
        Delete
      </Button>
    </Cells>
  )
}

/** The row at the bottom, from which one is added. */
export function NewPreference({ rows, onAdd }: { rows: Row[]; onAdd: (preference: Preference) => void }) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const doesReplace = rows.some(({ saved }) => saved?.key === key)
  const isWithoutValue = canSave(key) && value === '' && !doesReplace
  const deed = value === '' ? 'an empty value deletes it' : 'adding replaces its value'
  // An empty value is none: a new key with it would be gone at once.
  const canAdd = canSave(key) && (value !== '' || doesReplace)
  function add() {
    if (!canAdd) return
    setKey('')
    setValue('')
    onAdd({ key, value })
  }
  return (
    <Cells
      isNew
      onEnter={add}
      keyField={
        <Field
          label="New key"
          isLabelHidden
          className="font-mono text-[13px]"
          placeholder="Key (e.g. MyApp.Preference)"
          value={key}
          error={keyFault(key)}
          onChange={({ target }) => setKey(target.value)}
        />
      }
      valueField={
        <Field
          label="New value"
          isLabelHidden
          placeholder="Value (e.g. myvalue)"
          value={value}
          hint={doesReplace ? `There is such a key: ${deed}` : isWithoutValue ? 'A new key needs a value' : undefined}
          onChange={({ target }) => setValue(target.value)}
        />
      }
    >
      <Button isSmall look="primary" disabled={!canAdd} onClick={add}>
        Add
      </Button>
    </Cells>
  )
}

interface CellsProps {
  keyField: ReactNode
  valueField: ReactNode
  complaint?: ReactNode
  isNew?: boolean
  onEnter: () => void
  children: ReactNode
}

function Cells({ keyField, valueField, complaint, isNew = false, onEnter, children }: CellsProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    onEnter()
  }
  return (
    <TableRow onKeyDown={press} className={isNew ? 'bg-well' : ''}>
      <TableCell>{keyField}</TableCell>
      <TableCell>
        {valueField}
        {complaint}
      </TableCell>
      <TableCell className="w-44">
        <div className="flex min-h-9 items-center gap-2">{children}</div>
      </TableCell>
    </TableRow>
  )
}

function Complaint({ text, onRetry }: { text: string; onRetry: (() => void) | undefined }) {
  return (
    <p role="alert" className="mt-1.5 text-[13px] text-bad">
      {text}
      {onRetry && (
        <>
          {' '}
          Not saved ·{' '}
          <button type="button" className="link" onClick={onRetry}>
            Retry
          </button>
        </>
      )}
    </p>
  )
}

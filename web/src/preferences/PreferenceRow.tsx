import type { Preference } from '@passport/contract/preferences'
import { Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TableCell, TableRow } from '../ui/Table.tsx'
import { canSave, describeSave, findKeyError, isChanged, type Row } from './rows.ts'

interface RowProps {
  row: Row
  onEdit: (row: Row, changes: Partial<Preference>) => void
  onSave: (row: Row) => void
  onRemove: (row: Row) => void
}

/** Has a faint border until the field is hovered, focused or invalid. */
const quietClass =
  'border-line bg-transparent hover:border-edge focus:border-edge focus:bg-card aria-invalid:border-bad'

/** A row with a preference and its actions. Enter saves. */
export function PreferenceRow({ row, onEdit, onSave, onRemove }: RowProps) {
  const { key, value, saved, state, error } = row
  const isSavable = canSave(key) && isChanged(row) && state !== 'saving'
  const name = saved?.key ?? key
  return (
    <Cells
      onSubmit={() => isSavable && onSave(row)}
      keyField={
        <Field
          label={`Key of ${name}`}
          isLabelHidden
          className={`font-mono text-[13px] ${quietClass}`}
          value={key}
          error={saved && key === '' ? 'Enter a key' : findKeyError(key)}
          onChange={({ target }) => onEdit(row, { key: target.value })}
        />
      }
      valueField={
        <Field
          label={`Value of ${name}`}
          isLabelHidden
          className={`${quietClass} ${/^[[{]/.test(value) ? 'font-mono text-[13px]' : ''}`}
          value={value}
          hint={describeSave(row)}
          onChange={({ target }) => onEdit(row, { value: target.value })}
        />
      }
      error={error && <RowError text={error} onRetry={isSavable && !saved ? () => onSave(row) : undefined} />}
    >
      <Button
        isSmall
        className="relative disabled:border-transparent disabled:opacity-45"
        isBusy={state === 'saving'}
        disabled={!isSavable}
        onClick={() => onSave(row)}
        aria-label={`Save ${name}`}
      >
        Save
        {isChanged(row) && (
          <span
            className="absolute -top-1 -right-1 size-2.5 rounded-full border-2 border-card bg-warn"
            title="Unsaved"
          />
        )}
      </Button>
      <Button
        isSmall
        variant="ghost"
        className="px-2 text-ink3"
        title="Delete"
        disabled={state === 'saving'}
        onClick={() => onRemove(row)}
        aria-label={`Delete ${name}`}
      >
        <Trash2 size={16} />
      </Button>
    </Cells>
  )
}

/** The bottom row that adds a preference. */
export function NewPreference({ rows, onAdd }: { rows: Row[]; onAdd: (preference: Preference) => void }) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const isReplacing = rows.some(({ saved }) => saved?.key === key)
  const isValueMissing = canSave(key) && value === '' && !isReplacing
  const effect = value === '' ? 'an empty value deletes it' : 'adding replaces its value'
  // Saving an empty value deletes a preference, so a new one needs a value.
  const canAdd = canSave(key) && (value !== '' || isReplacing)
  function add() {
    if (!canAdd) return
    setKey('')
    setValue('')
    onAdd({ key, value })
  }
  return (
    <Cells
      isNew
      onSubmit={add}
      keyField={
        <Field
          label="New key"
          isLabelHidden
          className="font-mono text-[13px]"
          placeholder="Key (e.g. MyApp.Preference)"
          value={key}
          error={key === '' && value !== '' ? 'Enter a key' : findKeyError(key)}
          onChange={({ target }) => setKey(target.value)}
        />
      }
      valueField={
        <Field
          label="New value"
          isLabelHidden
          placeholder="Value (e.g. myvalue)"
          value={value}
          hint={isReplacing ? `This key exists: ${effect}` : isValueMissing ? 'Enter a value' : undefined}
          onChange={({ target }) => setValue(target.value)}
        />
      }
    >
      <Button isSmall variant="primary" disabled={!canAdd} onClick={add}>
        Add
      </Button>
    </Cells>
  )
}

interface CellsProps {
  keyField: ReactNode
  valueField: ReactNode
  error?: ReactNode
  isNew?: boolean
  onSubmit: () => void
  children: ReactNode
}

function Cells({ keyField, valueField, error, isNew = false, onSubmit, children }: CellsProps) {
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    onSubmit()
  }
  return (
    <TableRow
      onKeyDown={handleKeyDown}
      className={`max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto] max-sm:gap-x-1 max-sm:py-1.5! ${isNew ? 'bg-well' : ''}`}
    >
      <TableCell className="max-sm:py-0.5!">{keyField}</TableCell>
      <TableCell className="max-sm:col-span-full max-sm:py-0.5!">
        {valueField}
        {error}
      </TableCell>
      <TableCell className="w-32 max-sm:col-start-2 max-sm:row-start-1 max-sm:w-auto max-sm:py-0.5!">
        <div className="flex min-h-9 items-center justify-end gap-1">{children}</div>
      </TableCell>
    </TableRow>
  )
}

function RowError({ text, onRetry }: { text: string; onRetry: (() => void) | undefined }) {
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

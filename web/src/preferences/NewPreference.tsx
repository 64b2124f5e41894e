import type { Preference } from '@passport/contract/preferences'
import { type KeyboardEvent, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TableCell, TableRow } from '../ui/Table.tsx'
import { canSave, findKeyError, type Row } from './rows.ts'

interface NewPreferenceProps {
  rows: Row[]
  /** The reason for not adding another key. */
  limit: string | undefined
  /** Called before the user types. */
  onFocus?: () => void
  onAdd: (preference: Preference) => void
}

/** The bottom row that adds a preference. */
export function NewPreference({ rows, limit, onFocus, onAdd }: NewPreferenceProps) {
  const [key, setKey] = useState('')
  const [value, setValue] = useState('')
  const isReplacing = rows.some(({ saved }) => saved?.key === key)
  const isValueMissing = canSave(key) && value === '' && !isReplacing
  const effect = value === '' ? 'an empty value deletes it' : 'adding replaces its value'
  // Saving an empty value deletes a preference, so a new one needs a value.
  const canAdd = canSave(key) && (isReplacing || (value !== '' && !limit))
  function add() {
    if (!canAdd) return
    setKey('')
    setValue('')
    onAdd({ key, value })
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
    event.preventDefault()
    add()
  }
  return (
    <TableRow onKeyDown={handleKeyDown} onFocus={onFocus} className="bg-well max-sm:grid max-sm:gap-2 max-sm:py-3!">
      <TableCell className="max-sm:py-0! sm:pl-[50px]!">
        <Field
          label="New key"
          isLabelHidden
          className="font-mono text-[13px]"
          placeholder="Key (e.g. MyApp.Preference)"
          value={key}
          error={key === '' && value !== '' ? 'Enter a key' : findKeyError(key)}
          hint={key !== '' && !isReplacing ? limit : undefined}
          onChange={({ target }) => setKey(target.value)}
        />
      </TableCell>
      <TableCell colSpan={2} className="max-sm:py-0!">
        <Field
          label="New value"
          isLabelHidden
          placeholder="Value (e.g. myvalue)"
          value={value}
          hint={isReplacing ? `This key exists: ${effect}` : isValueMissing ? 'Enter a value' : undefined}
          onChange={({ target }) => setValue(target.value)}
        />
      </TableCell>
      <TableCell className="text-right max-sm:py-0!">
        <Button variant="primary" disabled={!canAdd} onClick={add}>
          Add
        </Button>
      </TableCell>
    </TableRow>
  )
}

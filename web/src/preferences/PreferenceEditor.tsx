import { type KeyboardEvent, useEffect, useRef } from 'react'
import { formatJson } from '../directory/format-json.ts'
import { Button } from '../ui/Button.tsx'
import { Field } from '../ui/Field.tsx'
import { TextArea } from '../ui/TextArea.tsx'
import type { RowProps } from './use-rows.ts'

interface PreferenceEditorProps extends RowProps {
  isChanged: boolean
  keyError: string | undefined
}

const maxLines = 16

/** The editor of a preference. Enter saves, in the value with Ctrl; Escape closes an unchanged editor. */
export function PreferenceEditor({ row, actions, isChanged, keyError }: PreferenceEditorProps) {
  const { key, value, saved, state, error } = row
  const name = saved?.key ?? key
  const isSavable = isChanged && key !== '' && !keyError && state !== 'saving'
  const pretty = formatJson(value)
  const isJson = /^\s*[[{]/.test(value)
  const valueField = useRef<HTMLTextAreaElement>(null)
  useEffect(() => valueField.current?.focus(), [])

  const submit = () => isSavable && actions.save(row)
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && !isChanged) actions.cancel(row)
    else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey || event.target !== valueField.current)) submit()
    else return
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div role="group" aria-label={`Edit ${name}`} className="grid gap-3 pb-2 sm:pl-9">
      <Field
        label="Key"
        className="font-mono text-[13px]"
        value={key}
        error={key === '' ? 'Enter a key' : keyError}
        onChange={({ target }) => actions.edit(row, { key: target.value })}
        onKeyDown={handleKeyDown}
      />
      <TextArea
        ref={valueField}
        label="Value"
        className={isJson ? 'font-mono text-[13px]' : ''}
        rows={Math.min(Math.max(value.split('\n').length, 2), maxLines)}
        value={value}
        hint={describeSave(row) ?? (isJson && !pretty ? 'Not valid JSON' : undefined)}
        onChange={({ target }) => actions.edit(row, { value: target.value })}
        onKeyDown={handleKeyDown}
      />
      {error && (
        <p role="alert" className="text-[13px] text-bad">
          {error}
        </p>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button isSmall variant="primary" isBusy={state === 'saving'} disabled={!isSavable} onClick={submit}>
          Save
        </Button>
        <Button isSmall disabled={state === 'saving'} onClick={() => actions.cancel(row)}>
          Cancel
        </Button>
        {pretty && pretty !== value && (
          <Button isSmall variant="ghost" onClick={() => actions.edit(row, { value: pretty })}>
            Format JSON
          </Button>
        )}
      </div>
    </div>
  )
}

/** Describes the side effect of saving a row; returns undefined if there is none. */
export function describeSave({ key, value, saved }: RowProps['row']): string | undefined {
  if (saved && saved.key !== key && key !== '') return `Saving as a new key; ‘${saved.key}’ stays`
  if (saved && value === '') return 'Saving an empty value deletes this key'
  return undefined
}

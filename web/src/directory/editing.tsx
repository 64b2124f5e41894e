import { useNavigate, useSearch } from '@tanstack/react-router'
import { Pencil } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Button } from '../ui/Button.tsx'

/**
 * Returns whether the form of the record is open, and functions that open and close it. The state is `edit=true` in the
 * URL, so that a sign-in in between returns to the form and its draft. Changes replace the entry of the history: Back
 * leaves the record.
 */
export function useEditing() {
  const { edit } = useSearch({ strict: false }) as { edit?: unknown }
  const navigate = useNavigate()
  const set = (edit: 'true' | undefined) =>
    void navigate({
      to: '.',
      search: ((all: object) => ({ ...all, edit })) as never,
      replace: true,
      resetScroll: false,
    })
  return { isEditing: edit === 'true', open: () => set('true'), close: () => set(undefined) }
}

/** The first button in the header of a record, while its form is closed. It gets the focus that the closed form had. */
export function EditButton() {
  const { isEditing, open } = useEditing()
  const button = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(isEditing)
  useEffect(() => {
    if (wasEditing.current && !isEditing && document.activeElement === document.body) button.current?.focus()
    wasEditing.current = isEditing
  }, [isEditing])
  if (isEditing) return null
  return (
    <Button ref={button} onClick={open}>
      <Pencil size={15} aria-hidden="true" />
      Edit
    </Button>
  )
}

import { Pencil } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { SchemaText } from './SchemaText.tsx'
import type { KnownSchema } from './schema.ts'
import { useSupposition } from './supposition.ts'

const Editor = lazy(async () => ({ default: (await import('./SchemaEditor.tsx')).SchemaEditor }))

/** The schema, to be read; and to be changed, once that is asked for. */
export function SchemaCard({ schema }: { schema: KnownSchema }) {
  const [draft, setDraft] = useState<string>()
  const supposed = useSupposition()?.schema
  const isEdited = draft !== undefined && draft !== schema.text
  const edit = useRef<HTMLButtonElement>(null)
  const wasOpen = useRef(false)
  const isOpen = draft !== undefined
  useEffect(() => {
    if (wasOpen.current && !isOpen) edit.current?.focus({ preventScroll: true })
    wasOpen.current = isOpen
  }, [isOpen])
  return (
    <Card
      title="Schema"
      about={
        draft === undefined
          ? 'What there is, and what gives whom which permission.'
          : 'Nothing is saved before you have seen what it changes.'
      }
      action={
        draft === undefined && (
          <div className="flex gap-1">
            <CopyButton text={schema.text} label="Copy the schema" />
            {supposed !== undefined && (
              <Button isSmall onClick={() => setDraft(supposed)}>
                Edit the supposed one
              </Button>
            )}
            <Button ref={edit} isSmall onClick={() => setDraft(schema.text)}>
              <Pencil size={15} aria-hidden="true" />
              Edit
            </Button>
          </div>
        )
      }
    >
      {draft === undefined ? (
        <SchemaText text={schema.text} />
      ) : (
        <Suspense fallback={<Skeleton label="Loading the editor" rows={8} rowClass="h-5" />}>
          <Editor schema={schema} draft={draft} onChange={setDraft} onClose={() => setDraft(undefined)} />
        </Suspense>
      )}
      <LeaveGuard hasChanges={() => isEdited}>The changed schema is not saved and will be lost.</LeaveGuard>
    </Card>
  )
}

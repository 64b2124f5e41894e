import { Pencil } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { LeaveGuard } from '../app/LeaveGuard.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { SchemaText } from './SchemaText.tsx'
import type { SchemaWithETag } from './schema.ts'
import { useWhatIf } from './what-if.ts'

const Editor = lazy(async () => ({ default: (await import('./SchemaEditor.tsx')).SchemaEditor }))

/** The schema, read-only until edited on request. */
export function SchemaCard({ schema }: { schema: SchemaWithETag }) {
  const [draft, setDraft] = useState<string>()
  const whatIfSchema = useWhatIf()?.schema
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
      description={
        draft === undefined
          ? 'The types, relations and permissions of your apps.'
          : 'You review the effect before saving.'
      }
      action={
        draft === undefined && (
          <div className="flex gap-1">
            <CopyButton text={schema.text} label="Copy schema" />
            {whatIfSchema !== undefined && (
              <Button isSmall onClick={() => setDraft(whatIfSchema)}>
                Edit draft
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
        <Suspense fallback={<Skeleton label="Loading editor" rows={8} rowClass="h-5" />}>
          <Editor schema={schema} draft={draft} onChange={setDraft} onClose={() => setDraft(undefined)} />
        </Suspense>
      )}
      <LeaveGuard hasChanges={() => isEdited}>Your changes to the schema will be lost.</LeaveGuard>
    </Card>
  )
}

import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { Plus } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { askable, isOfDirectory, type KnownSchema, resourceTypes } from './schema.ts'

const AddForm = lazy(async () => ({ default: (await import('./AddForm.tsx')).AddForm }))

/** A button that asks for a relationship and writes it. */
export function AddRelationship({ schema, filter }: { schema: KnownSchema; filter: RelationshipFilter }) {
  const [isOpen, setOpen] = useState(false)
  const types = writableTypes(schema)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {types.length === 0 && <p className="text-[13px] text-ink2">No type has relations to write yet.</p>}
        <Button look="primary" disabled={types.length === 0} onClick={() => setOpen(true)}>
          <Plus size={16} />
          Add a relationship
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Add a relationship" className="w-[640px]">
        <Suspense fallback={<Skeleton label="Loading the form" rows={3} rowClass="h-9" />}>
          <AddForm schema={schema} types={types} filter={filter} onDone={() => setOpen(false)} />
        </Suspense>
      </Dialog>
    </>
  )
}

/** Those of applications: the directory writes its own. */
const writableTypes = (schema: KnownSchema) =>
  resourceTypes(schema).filter((type) => !isOfDirectory(type) && askable(schema, type).relations.length > 0)

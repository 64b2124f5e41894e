import type { RelationshipFilter } from '@passport/contract/permission-terms'
import { Plus } from 'lucide-react'
import { Suspense, useState } from 'react'
import { isDirectoryType } from '../permissions/reference.ts'
import { listPermissionsAndRelations, listResourceTypes, type SchemaWithETag } from '../permissions/schema.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'

const AddForm = lazyPart(async () => (await import('./AddForm.tsx')).AddForm)

interface AddRelationshipProps {
  /** Undefined while loading. */
  schema: SchemaWithETag | undefined
  filter: RelationshipFilter
}

/** A button that opens the form of a new relationship. */
export function AddRelationship({ schema, filter }: AddRelationshipProps) {
  const [isOpen, setOpen] = useState(false)
  const types = schema ? listWritableTypes(schema) : []
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        {schema && types.length === 0 && <p className="text-[13px] text-ink2">Define a type with a relation first.</p>}
        <Button variant="primary" disabled={types.length === 0} onClick={() => setOpen(true)}>
          <Plus size={16} />
          <span>
            Add<span className="max-sm:sr-only"> relationship</span>
          </span>
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={() => setOpen(false)} title="Add relationship" className="w-[640px]">
        <Suspense fallback={<Skeleton label="Loading form" rows={3} rowClass="h-9" />}>
          {schema && <AddForm schema={schema} types={types} filter={filter} onDone={() => setOpen(false)} />}
        </Suspense>
      </Dialog>
    </>
  )
}

/** Returns the types of applications with relations: the directory manages its own relationships. */
const listWritableTypes = (schema: SchemaWithETag) =>
  listResourceTypes(schema).filter(
    (type) => !isDirectoryType(type) && listPermissionsAndRelations(schema, type).relations.length > 0,
  )

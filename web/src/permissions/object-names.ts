import type { ObjectReference } from '@passport/contract/permission-terms'
import { nameObjects } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { printReference } from './reference.ts'

interface Batch {
  objects: ObjectReference[]
  names: Promise<ReadonlyMap<string, string>>
}

/** As many as one request may ask for. */
const mostAtOnce = 1000
let open: Batch | undefined

/** What the directory calls an object; null where it does not know it. A page of objects is one request. */
export async function nameOfObject(object: ObjectReference): Promise<string | null> {
  if (!open || open.objects.length === mostAtOnce) open = openBatch()
  open.objects.push(object)
  return (await open.names).get(printReference(object)) ?? null
}

function openBatch(): Batch {
  const objects: ObjectReference[] = []
  // Whatever is shown at once asks in the same turn.
  const names = Promise.resolve().then(async () => {
    open = undefined
    const { items } = await call(nameObjects, { body: { objects } })
    return new Map(items.map(({ name, ...object }) => [printReference(object), name]))
  })
  return { objects, names }
}

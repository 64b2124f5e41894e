import type { ObjectReference } from '@passport/contract/permission-terms'
import { nameObjects } from '@passport/contract/permissions'
import { call } from '../app/api.ts'
import { printReference } from './reference.ts'

interface Batch {
  objects: ObjectReference[]
  names: Promise<ReadonlyMap<string, string>>
}

/** The maximum of one request. */
const maxPerCall = 1000
let pendingBatch: Batch | undefined

/** Returns the name of an object in the directory; null if unknown. Concurrent calls share a request. */
export async function loadObjectName(object: ObjectReference): Promise<string | null> {
  if (!pendingBatch || pendingBatch.objects.length === maxPerCall) pendingBatch = startBatch()
  pendingBatch.objects.push(object)
  return (await pendingBatch.names).get(printReference(object)) ?? null
}

function startBatch(): Batch {
  const objects: ObjectReference[] = []
  // Everything rendered at once asks in the same turn.
  const names = Promise.resolve().then(async () => {
    pendingBatch = undefined
    const { items } = await call(nameObjects, { body: { objects } })
    return new Map(items.map(({ name, ...object }) => [printReference(object), name]))
  })
  return { objects, names }
}

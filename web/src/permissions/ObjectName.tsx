import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { nameObjects } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { call } from '../app/api.ts'
import { isDirectoryType, printReference } from './reference.ts'

const canHaveName = ({ type, id }: ObjectReference) => isDirectoryType(type) && id !== '' && id !== '*'

/** Returns the name of an object of the directory; undefined for other or unknown objects. */
export function useObjectName({ type, id }: ObjectReference): string | undefined {
  const { data } = useQuery({
    queryKey: ['name in the directory', type, id],
    queryFn: () => loadObjectName({ type, id }),
    enabled: canHaveName({ type, id }),
    staleTime: 60_000,
    retry: false,
  })
  return data ?? undefined
}

/** Renders the directory name of an object, if any. Callers place it after the reference. */
export function ObjectName({ type, id }: ObjectReference) {
  if (!canHaveName({ type, id })) return null
  return (
    <WithObjectName object={{ type, id }} fallback={null}>
      {(name) => <span className="text-ink2"> {name}</span>}
    </WithObjectName>
  )
}

/** Renders the directory name of an object, if any, followed by its reference. The reference truncates first. */
export function NamedReference({ reference }: { reference: SubjectReference }) {
  const text = printReference(reference)
  if (!canHaveName(reference)) return text
  return (
    <WithObjectName object={reference} fallback={text}>
      {(name) => (
        <>
          <span className="font-sans text-[13px] font-[560]">{name}</span> <span className="text-ink3">{text}</span>
        </>
      )}
    </WithObjectName>
  )
}

/** The names of both sides of a relationship, shown after it. */
export function RelationshipNames({ resource, subject }: { resource: ObjectReference; subject: ObjectReference }) {
  const names = [useObjectName(resource), useObjectName(subject)].filter((name) => name !== undefined)
  return names.length > 0 && <span className="text-ink2"> {names.join(', ')}</span>
}

interface WithObjectNameProps {
  object: ObjectReference
  fallback: ReactNode
  children: (name: string) => ReactNode
}

function WithObjectName({ object, fallback, children }: WithObjectNameProps) {
  const name = useObjectName(object)
  return name === undefined ? fallback : children(name)
}

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

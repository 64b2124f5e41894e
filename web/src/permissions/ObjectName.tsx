import type { ObjectReference } from '@passport/contract/permission-terms'
import { nameObjects } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { Picture } from '../ui/ObjectIcon.tsx'
import { objectKindOf } from './object-kind.ts'
import { isDirectoryType, printReference } from './reference.ts'

const canHaveName = ({ type, id }: ObjectReference) => isDirectoryType(type) && id !== '' && id !== '*'

/** An object; its name in the directory is looked up unless it is given, null if it has none. */
export type Nameable = ObjectReference & { name?: string | null }

const useNameQuery = ({ type, id, name }: Nameable) =>
  useQuery({
    queryKey: ['name in the directory', type, id],
    queryFn: () => loadObjectName({ type, id }),
    enabled: name === undefined && canHaveName({ type, id }),
    staleTime: 60_000,
    retry: false,
  })

/** Returns the name of an object of the directory; undefined for other or unknown objects. */
export function useObjectName(object: Nameable): string | undefined {
  const { data } = useNameQuery(object)
  return object.name ?? data ?? undefined
}

/** Returns the text for an object: its name, “Everyone” for the wildcard, or its id; “…” until its name is known. */
export function useObjectLabel(object: Nameable): string {
  const { data, isLoading } = useNameQuery(object)
  // A long id in place of the name would move what follows it.
  if (isLoading) return '…'
  return object.name ?? data ?? (object.id === '*' ? 'Everyone' : object.id)
}

/** The text for an object, with its reference as a tooltip. */
export function ObjectLabel({ object }: { object: Nameable & { relation?: string | undefined } }) {
  return (
    <span title={printReference(object)} className="font-[580] [overflow-wrap:anywhere]">
      {useObjectLabel(object)}
    </span>
  )
}

/** The picture of an object. */
export function ObjectPicture({ object, size }: { object: Nameable; size: number }) {
  const kind = object.id === '*' ? 'group' : objectKindOf(object.type)
  return <Picture kind={kind} id={object.id} name={useObjectLabel(object)} size={size} />
}

interface ObjectLineProps {
  object: Nameable & { relation?: string | undefined }
  /** The size of the picture, in pixels. */
  size?: number
}

/** An object in a line: picture, name, and its type, which truncates first. */
export const ObjectLine = (props: ObjectLineProps) => (
  <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-middle" title={printReference(props.object)}>
    <ObjectParts {...props} />
  </span>
)

/** The parts of `ObjectLine`, for an element that lays them out: rows of thousands need few elements. */
export function ObjectParts({ object, size = 22 }: ObjectLineProps) {
  const { type, relation } = object
  return (
    <>
      <ObjectPicture object={object} size={size} />
      <span className="shrink truncate font-[560]">{useObjectLabel(object)}</span>
      <span className="min-w-0 shrink-[999] truncate text-[13px] font-normal text-ink3">
        {relation ? `${type}#${relation}` : type}
      </span>
    </>
  )
}

/** Renders the directory name of an object, if any. Callers place it after the reference. */
export function ObjectName({ type, id }: ObjectReference) {
  const name = useObjectName({ type, id })
  return name === undefined ? null : <span className="text-ink2"> {name}</span>
}

/** The names of both sides of a relationship, shown after it. */
export function RelationshipNames({ resource, subject }: { resource: ObjectReference; subject: ObjectReference }) {
  const names = [useObjectName(resource), useObjectName(subject)].filter((name) => name !== undefined)
  return names.length > 0 && <span className="text-ink2"> {names.join(', ')}</span>
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

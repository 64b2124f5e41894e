import type { ObjectReference } from '@passport/contract/permission-terms'
import { nameObjects } from '@passport/contract/permissions'
import { isObjectId } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { call } from '../app/api.ts'
import { Picture } from '../ui/ObjectIcon.tsx'
import { objectKindOf } from './object-kind.ts'
import { describeType, isDirectoryType, printReference } from './reference.ts'

/** Text that is being typed may be no id; the service would reject all names of the request. */
const canHaveName = ({ type, id }: ObjectReference) => isDirectoryType(type) && isObjectId(id)

/** An object. Its directory name is looked up unless `name` is given; null means no name. */
export type Nameable = ObjectReference & { name?: string | null }

const useNameQuery = ({ type, id, name }: Nameable) =>
  useQuery({
    queryKey: ['name in the directory', type, id],
    queryFn: () => loadEntry({ type, id }),
    enabled: name === undefined && canHaveName({ type, id }),
    staleTime: 60_000,
    retry: false,
  })

/** Returns the directory name of an object; undefined if the object has none or the name is not loaded. */
export function useObjectName(object: Nameable): string | undefined {
  const { data } = useNameQuery(object)
  return object.name ?? data?.name
}

/** The username of a user, to follow the name; nothing for other objects. */
export function ObjectUsername({ object }: { object: ObjectReference }) {
  const { data } = useNameQuery(object)
  return data?.username && data.username !== data.name ? (
    <span className="truncate text-[13px] text-ink3">@{data.username}</span>
  ) : null
}

/** Returns the text for an object: its name, “Everyone” for the wildcard, or its id; “…” until its name is known. */
export function useObjectLabel(object: Nameable): string {
  const { data, isLoading } = useNameQuery(object)
  // A long id that the name replaces would move the text after it.
  if (isLoading) return '…'
  return object.name ?? data?.name ?? (object.id === '*' ? 'Everyone' : object.id)
}

/** The text for an object, with its reference as a tooltip. */
export function ObjectLabel({ object }: { object: Nameable & { relation?: string | undefined } }) {
  return (
    <span title={printReference(object)} className="font-[580] [overflow-wrap:anywhere]">
      {useObjectLabel(object)}
    </span>
  )
}

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

/** The parts of `ObjectLine` without the element around them, for tables that must have few elements. */
export function ObjectParts({ object, size = 22 }: ObjectLineProps) {
  return (
    <>
      <ObjectPicture object={object} size={size} />
      <span className="shrink truncate font-[560]">{useObjectLabel(object)}</span>
      <span className="min-w-0 shrink-[999] truncate text-[13px] font-normal text-ink3">{describeType(object)}</span>
    </>
  )
}

/** The directory name of an object, if any, to follow its reference. */
export function ObjectName({ type, id }: ObjectReference) {
  const name = useObjectName({ type, id })
  return name === undefined ? null : <span className="text-ink2"> {name}</span>
}

/** The directory names of both sides of a relationship, to follow its text. */
export function RelationshipNames({ resource, subject }: { resource: ObjectReference; subject: ObjectReference }) {
  const names = [useObjectName(resource), useObjectName(subject)].filter((name) => name !== undefined)
  return names.length > 0 && <span className="text-ink2"> {names.join(', ')}</span>
}

interface Entry {
  name: string
  username?: string | undefined
}

interface Batch {
  objects: ObjectReference[]
  entries: Promise<ReadonlyMap<string, Entry>>
}

/** The service's maximum. */
const maxPerCall = 1000
let pendingBatch: Batch | undefined

/** Loads the name of an object in the directory; null if it has none. Calls in the same turn share a request. */
export async function loadEntry(object: ObjectReference): Promise<Entry | null> {
  if (!pendingBatch || pendingBatch.objects.length === maxPerCall) pendingBatch = startBatch()
  pendingBatch.objects.push(object)
  return (await pendingBatch.entries).get(printReference(object)) ?? null
}

function startBatch(): Batch {
  const objects: ObjectReference[] = []
  // Objects that are rendered together are added before this microtask runs.
  const entries = Promise.resolve().then(async () => {
    pendingBatch = undefined
    const { items } = await call(nameObjects, { body: { objects } })
    return new Map(items.map(({ name, username, ...object }) => [printReference(object), { name, username }]))
  })
  return { objects, entries }
}

import type { ObjectReference, SubjectReference } from '@passport/contract/permission-terms'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { nameOfObject } from './object-names.ts'
import { printReference } from './reference.ts'
import { isOfDirectory } from './schema.ts'

const canHaveName = ({ type, id }: ObjectReference) => isOfDirectory(type) && id !== '' && id !== '*'

/** What the directory calls one of its objects; undefined for what is not of the directory, or not known. */
export function useObjectName({ type, id }: ObjectReference): string | undefined {
  const { data } = useQuery({
    queryKey: ['name in the directory', type, id],
    queryFn: () => nameOfObject({ type, id }),
    enabled: canHaveName({ type, id }),
    staleTime: 60_000,
    retry: false,
  })
  return data ?? undefined
}

/** The name after a reference, where the directory has one. */
export function ObjectName({ type, id }: ObjectReference) {
  if (!canHaveName({ type, id })) return null
  return (
    <Named object={{ type, id }} otherwise={null}>
      {(name) => <span className="text-ink2"> {name}</span>}
    </Named>
  )
}

/** A reference with the name before it, where the directory has one; what there is little room for is cut off behind. */
export function NamedReference({ reference }: { reference: SubjectReference }) {
  const text = printReference(reference)
  if (!canHaveName(reference)) return text
  return (
    <Named object={reference} otherwise={text}>
      {(name) => (
        <>
          <span className="font-sans text-[13px] font-[560]">{name}</span> <span className="text-ink3">{text}</span>
        </>
      )}
    </Named>
  )
}

/** What the directory calls the two sides of a relationship, after it. */
export function NamesOfBoth({ resource, subject }: { resource: ObjectReference; subject: ObjectReference }) {
  const names = [useObjectName(resource), useObjectName(subject)].filter((name) => name !== undefined)
  return names.length > 0 && <span className="text-ink2"> {names.join(', ')}</span>
}

interface NamedProps {
  object: ObjectReference
  otherwise: ReactNode
  children: (name: string) => ReactNode
}

function Named({ object, otherwise, children }: NamedProps) {
  const name = useObjectName(object)
  return name === undefined ? otherwise : children(name)
}

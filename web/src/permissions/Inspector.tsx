import type { ObjectReference, Relationship } from '@passport/contract/permission-terms'
import { listRelationships } from '@passport/contract/permissions'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { call } from '../app/api.ts'
import { buttonClass } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { toCheckSearch } from './check-search.ts'
import { ObjectName, RelationshipNames } from './ObjectName.tsx'
import { RelationshipHistory } from './RelationshipHistory.tsx'
import { printReference } from './reference.ts'
import { isDirectoryType } from './schema.ts'
import type { ShownRelationship } from './use-relations.ts'

interface FrameProps {
  title: string
  text: string
  onClose: () => void
  children: ReactNode
}

function InspectorFrame({ title, text, onClose, children }: FrameProps) {
  const id = useId()
  return (
    <aside
      aria-labelledby={id}
      className="overflow-y-auto border-line bg-card px-5 py-4 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:max-h-[45dvh] max-lg:rounded-t-box max-lg:border-t max-lg:shadow-pop lg:max-h-[max(22rem,calc(100dvh-20rem))] lg:border-l"
    >
      <header className="flex items-start justify-between gap-2">
        <h2 id={id}>{title}</h2>
        <button type="button" className="btn btn-ghost btn-small -mt-1 -mr-2 px-2" aria-label="Close" onClick={onClose}>
          <X size={16} />
        </button>
      </header>
      <p className="mt-1 flex items-start gap-1">
        <code className="pt-1 font-mono text-[12.5px] [overflow-wrap:anywhere]">{text}</code>
        <CopyButton text={text} label="Copy" />
      </p>
      {children}
    </aside>
  )
}

interface RelationshipInspectorProps {
  relationship: Relationship
  onClose: () => void
  onSelect: (reference: string) => void
  /** Absent if it cannot be deleted here. */
  onDelete: (() => void) | undefined
}

/** The details of one relationship, and its actions. */
export function RelationshipInspector({ relationship, onClose, onSelect, onDelete }: RelationshipInspectorProps) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const object = { type: subject.type, id: subject.id }
  return (
    <InspectorFrame title="Relationship" text={printRelationship(relationship)} onClose={onClose}>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&_dt]:text-ink2">
        <dt>Resource</dt>
        <dd>
          <ObjectButton object={resource} onSelect={onSelect} />
        </dd>
        <dt>Subject</dt>
        <dd>
          {subject.id === '*' ? (
            `All subjects of type ${subject.type}`
          ) : (
            <ObjectButton object={object} onSelect={onSelect} />
          )}
        </dd>
        {caveat && (
          <>
            <dt>Caveat</dt>
            <dd className="[overflow-wrap:anywhere]">
              <code className="font-mono text-[12.5px]">
                {caveat.name} {caveat.context && JSON.stringify(caveat.context)}
              </code>
            </dd>
          </>
        )}
        {expiresAt && (
          <>
            <dt>Expires</dt>
            <dd>
              <RelativeTime at={expiresAt} />
            </dd>
          </>
        )}
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        {subject.id !== '*' && (
          <Link
            to="/admin/tools/permissions/check"
            search={toCheckSearch({ resource, permission: relation, subject }) as never}
            className={buttonClass('plain', true)}
          >
            Check permission
          </Link>
        )}
        {onDelete && (
          <button type="button" className={buttonClass('danger', true)} onClick={onDelete}>
            Delete…
          </button>
        )}
      </div>
      {isDirectoryType(resource.type) && (
        <p className="mt-3 text-[13px] text-ink2">Managed by the directory. Edit it there.</p>
      )}
      <h3 className="mt-5 mb-1 font-[620]">History</h3>
      <RelationshipHistory filter={toExactFilter(relationship)} isShort />
    </InspectorFrame>
  )
}

function ObjectButton({ object, onSelect }: { object: ObjectReference; onSelect: (reference: string) => void }) {
  const text = printReference(object)
  return (
    <>
      <button
        type="button"
        className="link text-left font-mono text-[12.5px] [overflow-wrap:anywhere]"
        onClick={() => onSelect(text)}
      >
        {text}
      </button>{' '}
      <ObjectName {...object} />
    </>
  )
}

interface ObjectInspectorProps {
  object: ObjectReference
  /** The shown relationships. */
  rows: readonly ShownRelationship[]
  isExpanded: boolean
  onClose: () => void
  /** Selects one of its relationships. */
  onSelect: (key: string) => void
  onExpand: () => void
}

/** The shown relationships of one object, and related links. */
export function ObjectInspector({ object, rows, isExpanded, onClose, onSelect, onExpand }: ObjectInspectorProps) {
  const text = printReference(object)
  const isSameObject = ({ type, id }: ObjectReference) => type === object.type && id === object.id
  const [asResource, asSubject] = [
    rows.filter(({ relationship }) => isSameObject(relationship.resource)),
    rows.filter(({ relationship }) => isSameObject(relationship.subject)),
  ]
  return (
    <InspectorFrame title={object.type} text={text} onClose={onClose}>
      <p>
        <ObjectName {...object} />
      </p>
      {asResource.length + asSubject.length === 0 && <NoRelationshipsNote object={object} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <button type="button" className={buttonClass('plain', true)} disabled={isExpanded} onClick={onExpand}>
          {isExpanded ? 'Expanded' : 'Expand'}
        </button>
        <Link
          to="/admin/tools/permissions/lookupResources"
          search={{ subject: text } as never}
          className={buttonClass('plain', true)}
        >
          What can it access?
        </Link>
        <Link
          to="/admin/tools/permissions/lookupSubjects"
          search={{ resource: text } as never}
          className={buttonClass('plain', true)}
        >
          Who can access it?
        </Link>
        <Link
          to="/admin/tools/relations"
          search={{ resourceType: object.type, resourceId: object.id } as never}
          className={buttonClass('plain', true)}
        >
          Direct relationships only
        </Link>
      </div>
      <RelationshipSection title="Subjects" rows={asResource} onSelect={onSelect} />
      <RelationshipSection title="Member of" rows={asSubject} onSelect={onSelect} />
    </InspectorFrame>
  )
}

/** For an object without shown relationships, shows whether it has others. */
function NoRelationshipsNote({ object: { type, id } }: { object: ObjectReference }) {
  const { data: hasRelationships } = useQuery({
    queryKey: [listRelationships.path, 'any of', type, id],
    queryFn: async ({ signal }) => {
      const sides = [
        { resourceType: type, resourceId: id },
        { subjectType: type, subjectId: id },
      ]
      const results = await Promise.all(
        sides.map((side) => call(listRelationships, { query: { ...side, limit: 1 } }, { signal })),
      )
      return results.some(({ items, cursor }) => items.length > 0 || cursor !== null)
    },
    retry: false,
  })
  return (
    <p role="status" className="mt-3">
      {hasRelationships === false
        ? 'No relationship refers to this object.'
        : 'None of the relationships shown refers to this object.'}
    </p>
  )
}

const maxListed = 50

function RelationshipSection({
  title,
  rows,
  onSelect,
}: {
  title: string
  rows: ShownRelationship[]
  onSelect: (key: string) => void
}) {
  if (rows.length === 0) return null
  return (
    <>
      <h3 className="mt-5 mb-1 font-[620]">
        {title} <span className="font-normal text-ink3">{rows.length.toLocaleString('en')}</span>
      </h3>
      <ul className="grid gap-1">
        {rows.slice(0, maxListed).map(({ key, relationship }) => (
          <li key={key} className="text-[13px]">
            <button
              type="button"
              className="link min-h-[24px] text-left font-mono text-[12px] [overflow-wrap:anywhere]"
              onClick={() => onSelect(key)}
            >
              {key}
            </button>
            <RelationshipNames {...relationship} />
          </li>
        ))}
      </ul>
      {rows.length > maxListed && <p className="mt-1 text-[13px] text-ink3">Showing the first {maxListed}</p>}
    </>
  )
}

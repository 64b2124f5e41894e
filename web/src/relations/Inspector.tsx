import type { ObjectReference } from '@passport/contract/permission-terms'
import { listRelationships } from '@passport/contract/permissions'
import { printRelationship, toExactFilter } from '@passport/permissions'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { call } from '../app/api.ts'
import { toCheckSearch } from '../permissions/check-search.ts'
import { ObjectLine } from '../permissions/ObjectName.tsx'
import { parseObject, printReference } from '../permissions/reference.ts'
import { Button, buttonClass } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { isDeletable } from './change-relationship.ts'
import { DeleteRelationship } from './DeleteRelationship.tsx'
import { RelationshipHistory } from './RelationshipHistory.tsx'
import type { ShownRelationship } from './use-relations.ts'

interface InspectorProps {
  rows: readonly ShownRelationship[]
  expanded: string[]
  onSelect: (at: string | undefined) => void
  onExpand: (reference: string) => void
}

/** The details of the selected relationship or object. */
export function Inspector({ at, ...props }: InspectorProps & { at: string }) {
  const row = props.rows.find(({ key }) => key === at)
  const object = parseObject(at)
  if (row) return <RelationshipInspector key={row.key} row={row} onSelect={props.onSelect} />
  return object && <ObjectInspector object={object} {...props} />
}

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

/** The details of one relationship, and its actions. */
function RelationshipInspector({ row, onSelect }: { row: ShownRelationship; onSelect: InspectorProps['onSelect'] }) {
  const { relationship } = row
  const [isDeleting, setDeleting] = useState(false)
  const close = () => onSelect(undefined)
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const object = { type: subject.type, id: subject.id }
  return (
    <InspectorFrame title="Relationship" text={printRelationship(relationship)} onClose={close}>
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
        {isDeletable(row) && (
          <Button variant="danger" isSmall onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        )}
      </div>
      {!isDeletable(row) && <p className="mt-3 text-[13px] text-ink2">Managed by the directory. Edit it there.</p>}
      <h3 className="mt-5 mb-1 font-[620]">History</h3>
      <RelationshipHistory filter={toExactFilter(relationship)} isShort />
      <DeleteRelationship
        relationship={relationship}
        isOpen={isDeleting}
        onDeleted={close}
        onClose={() => setDeleting(false)}
      />
    </InspectorFrame>
  )
}

function ObjectButton({ object, onSelect }: { object: ObjectReference; onSelect: (reference: string) => void }) {
  const text = printReference(object)
  return (
    <button type="button" className="max-w-full rounded-ctl text-left hover:underline" onClick={() => onSelect(text)}>
      <ObjectLine object={object} />
    </button>
  )
}

/** The shown relationships of one object, and related links. */
function ObjectInspector({ object, rows, expanded, onSelect, onExpand }: InspectorProps & { object: ObjectReference }) {
  const text = printReference(object)
  const isExpanded = expanded.includes(text)
  const isSameObject = ({ type, id }: ObjectReference) => type === object.type && id === object.id
  const [asResource, asSubject] = [
    rows.filter(({ relationship }) => isSameObject(relationship.resource)),
    rows.filter(({ relationship }) => isSameObject(relationship.subject)),
  ]
  return (
    <InspectorFrame title={object.type} text={text} onClose={() => onSelect(undefined)}>
      <p className="mt-1">
        <ObjectLine object={object} size={32} />
      </p>
      {asResource.length + asSubject.length === 0 && <NoRelationshipsNote object={object} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button isSmall disabled={isExpanded} onClick={() => onExpand(text)}>
          {isExpanded ? 'Expanded' : 'Expand'}
        </Button>
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
      <RelationshipSection title="Subjects" part="subject" rows={asResource} onSelect={onSelect} />
      <RelationshipSection title="Member of" part="resource" rows={asSubject} onSelect={onSelect} />
    </InspectorFrame>
  )
}

/** A note for an object without shown relationships: whether it has any. */
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
  part,
  rows,
  onSelect,
}: {
  title: string
  /** The side that is not the inspected object. */
  part: 'resource' | 'subject'
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
              title={key}
              className="flex min-h-7 w-full min-w-0 items-center gap-2 rounded-ctl text-left hover:bg-well pointer-coarse:min-h-11"
              onClick={() => onSelect(key)}
            >
              <span className="shrink-0 text-ink2">{relationship.relation}</span>
              <ObjectLine object={relationship[part]} />
            </button>
          </li>
        ))}
      </ul>
      {rows.length > maxListed && <p className="mt-1 text-[13px] text-ink3">Showing the first {maxListed}</p>}
    </>
  )
}

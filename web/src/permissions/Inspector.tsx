import type { ObjectReference, Relationship } from '@passport/contract/permission-terms'
import { listRelationships } from '@passport/contract/permissions'
import { exactFilter } from '@passport/permissions/exact-filter'
import { printRelationship } from '@passport/permissions/relationship-text'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { call } from '../app/api.ts'
import { buttonClass } from '../ui/Button.tsx'
import { CopyButton } from '../ui/CopyButton.tsx'
import { Moment } from '../ui/Moment.tsx'
import { searchFor } from './check-search.ts'
import { NamesOfBoth, ObjectName } from './ObjectName.tsx'
import { RelationshipHistory } from './RelationshipHistory.tsx'
import { printReference } from './reference.ts'
import { isOfDirectory } from './schema.ts'
import type { ShownRelationship } from './use-relations.ts'

interface FrameProps {
  title: string
  text: string
  onClose: () => void
  children: ReactNode
}

function Frame({ title, text, onClose, children }: FrameProps) {
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
  onLookAt: (reference: string) => void
  /** Absent where it cannot be deleted here. */
  onDelete: (() => void) | undefined
}

/** All that is known of one relationship, and what can be done with it. */
export function RelationshipInspector({ relationship, onClose, onLookAt, onDelete }: RelationshipInspectorProps) {
  const { resource, relation, subject, caveat, expiresAt } = relationship
  const object = { type: subject.type, id: subject.id }
  return (
    <Frame title="Relationship" text={printRelationship(relationship)} onClose={onClose}>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 [&_dt]:text-ink2">
        <dt>Resource</dt>
        <dd>
          <ObjectButton object={resource} onLookAt={onLookAt} />
        </dd>
        <dt>Subject</dt>
        <dd>{subject.id === '*' ? 'Everyone of the type' : <ObjectButton object={object} onLookAt={onLookAt} />}</dd>
        {caveat && (
          <>
            <dt>Condition</dt>
            <dd className="[overflow-wrap:anywhere]">
              <code className="font-mono text-[12.5px]">
                {caveat.name} {caveat.context && JSON.stringify(caveat.context)}
              </code>
            </dd>
          </>
        )}
        {expiresAt && (
          <>
            <dt>Runs out</dt>
            <dd>
              <Moment at={expiresAt} />
            </dd>
          </>
        )}
      </dl>
      <div className="mt-4 flex flex-wrap gap-2">
        {subject.id !== '*' && (
          <Link
            to="/admin/tools/permissions/check"
            search={searchFor({ resource, permission: relation, subject }) as never}
            className={buttonClass('plain', true)}
          >
            Check it
          </Link>
        )}
        {onDelete && (
          <button type="button" className={buttonClass('danger', true)} onClick={onDelete}>
            Delete …
          </button>
        )}
      </div>
      {isOfDirectory(resource.type) && (
        <p className="mt-3 text-[13px] text-ink2">The directory keeps it: it is changed there.</p>
      )}
      <h3 className="mt-5 mb-1 font-[620]">History</h3>
      <RelationshipHistory filter={exactFilter(relationship)} isShort />
    </Frame>
  )
}

function ObjectButton({ object, onLookAt }: { object: ObjectReference; onLookAt: (reference: string) => void }) {
  const text = printReference(object)
  return (
    <>
      <button
        type="button"
        className="link text-left font-mono text-[12.5px] [overflow-wrap:anywhere]"
        onClick={() => onLookAt(text)}
      >
        {text}
      </button>{' '}
      <ObjectName {...object} />
    </>
  )
}

interface ObjectInspectorProps {
  object: ObjectReference
  /** The relationships that are shown. */
  rows: readonly ShownRelationship[]
  isOpened: boolean
  onClose: () => void
  /** Looks at one of its relationships. */
  onLookAt: (key: string) => void
  onExpand: () => void
}

/** What is shown of one object, and the ways on from it. */
export function ObjectInspector({ object, rows, isOpened, onClose, onLookAt, onExpand }: ObjectInspectorProps) {
  const text = printReference(object)
  const isIt = ({ type, id }: ObjectReference) => type === object.type && id === object.id
  const [has, standsIn] = [
    rows.filter(({ relationship }) => isIt(relationship.resource)),
    rows.filter(({ relationship }) => isIt(relationship.subject)),
  ]
  return (
    <Frame title={object.type} text={text} onClose={onClose}>
      <p>
        <ObjectName {...object} />
      </p>
      {has.length + standsIn.length === 0 && <NotShown object={object} />}
      <div className="mt-3 flex flex-wrap gap-2">
        <button type="button" className={buttonClass('plain', true)} disabled={isOpened} onClick={onExpand}>
          {isOpened ? 'Expanded' : 'Expand'}
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
          Its relations alone
        </Link>
      </div>
      <Few title="Who stands in it" rows={has} onLookAt={onLookAt} />
      <Few title="What it stands in" rows={standsIn} onLookAt={onLookAt} />
    </Frame>
  )
}

/** Says of an object that none of what is shown has whether anything else has. */
function NotShown({ object: { type, id } }: { object: ObjectReference }) {
  const { data: isAnywhere } = useQuery({
    queryKey: [listRelationships.path, 'any of', type, id],
    queryFn: async ({ signal }) => {
      const sides = [
        { resourceType: type, resourceId: id },
        { subjectType: type, subjectId: id },
      ]
      const found = await Promise.all(
        sides.map((side) => call(listRelationships, { query: { ...side, limit: 1 } }, { signal })),
      )
      return found.some(({ items, cursor }) => items.length > 0 || cursor !== null)
    },
    retry: false,
  })
  return (
    <p role="status" className="mt-3">
      {isAnywhere === false
        ? 'No relationship names it: it stands in nothing, and nobody stands in it.'
        : 'No relationship that is shown names it.'}
    </p>
  )
}

const mostListed = 50

function Few({ title, rows, onLookAt }: { title: string; rows: ShownRelationship[]; onLookAt: (key: string) => void }) {
  if (rows.length === 0) return null
  return (
    <>
      <h3 className="mt-5 mb-1 font-[620]">
        {title} <span className="font-normal text-ink3">{rows.length.toLocaleString('en')}</span>
      </h3>
      <ul className="grid gap-1">
        {rows.slice(0, mostListed).map(({ key, relationship }) => (
          <li key={key} className="text-[13px]">
            <button
              type="button"
              className="link min-h-[24px] text-left font-mono text-[12px] [overflow-wrap:anywhere]"
              onClick={() => onLookAt(key)}
            >
              {key}
            </button>
            <NamesOfBoth {...relationship} />
          </li>
        ))}
      </ul>
      {rows.length > mostListed && <p className="mt-1 text-[13px] text-ink3">The first {mostListed} of them.</p>}
    </>
  )
}

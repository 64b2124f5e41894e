import type { PermissionTree } from '@passport/contract/permission-terms'
import { expandPermission } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { query } from '../app/api.ts'
import { Loaded } from '../app/Loaded.tsx'
import type { CheckQuestion } from '../permissions/check-search.ts'
import { ObjectName } from '../permissions/ObjectName.tsx'
import { printReference } from '../permissions/reference.ts'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { formatRelative, lowerFirst } from '../ui/RelativeTime.tsx'
import { Tag } from '../ui/Tag.tsx'
import { Operator, operators } from './Trace.tsx'

/** The tree of all subjects of a permission on a resource, loaded on request. */
export function ExpandCard({ question }: { question: CheckQuestion }) {
  const { resource, permission, whatIf } = question
  const [isOpen, setOpen] = useState(false)
  return (
    <Card
      title="Permission tree"
      description={
        <>
          Subjects with {permission} on {printReference(resource)}, by relation.
        </>
      }
      action={
        <Button isSmall aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? 'Hide' : 'Show'}
        </Button>
      }
    >
      {isOpen && (
        <div className="overflow-x-auto border-t border-line px-4 py-3">
          <Expanded resource={resource} permission={permission} whatIf={whatIf} />
        </div>
      )}
    </Card>
  )
}

type ExpandedProps = Pick<CheckQuestion, 'resource' | 'permission'> & { whatIf: CheckQuestion['whatIf'] }

function Expanded({ resource, permission, whatIf }: ExpandedProps) {
  const body = { resource, permission, ...(whatIf && { whatIf }) }
  const tree = useQuery({ ...query(expandPermission, { body }), staleTime: 0, retry: false })
  return (
    <Loaded query={tree} label="Loading permission tree" rows={3}>
      {({ tree }) => (
        <ul>
          <Branch tree={tree} label={undefined} whatIf={whatIf} />
        </ul>
      )}
    </Loaded>
  )
}

const mono = 'font-mono text-[12.5px] [overflow-wrap:anywhere]'

interface BranchProps extends Pick<ExpandedProps, 'whatIf'> {
  tree: PermissionTree
  /** The role of an operand of an exclusion. */
  label: string | undefined
}

function Branch({ tree: { resource, permission, node, ...conditions }, label, whatIf }: BranchProps) {
  const isLeaf = node.kind === 'leaf'
  return (
    <li className="py-0.5">
      <p className="flex flex-wrap items-center gap-x-2">
        {label && <span className="text-[12px] text-ink3">{label}</span>}
        <code className={mono}>
          {printReference(resource)}#<b className="font-[650]">{permission}</b>
        </code>
        <ObjectName {...resource} />
        {!isLeaf && <Operator {...operators[node.kind]} />}
        {isLeaf && node.subjects.length === 0 && <span className="text-ink3">no subjects</span>}
        {!isLeaf && node.children.length === 0 && <span className="text-ink3">empty</span>}
        <Conditions {...conditions} />
      </p>
      <ul className="ml-[5px] border-l border-line pl-3 sm:pl-4">
        {node.kind === 'leaf'
          ? node.subjects.map((item) => <SubjectItem key={printReference(item.subject)} {...item} whatIf={whatIf} />)
          : node.children.map((child, index) => (
              <Branch
                key={index}
                tree={child}
                whatIf={whatIf}
                label={node.kind === 'exclusion' ? (index === 0 ? 'from' : 'without') : undefined}
              />
            ))}
      </ul>
    </li>
  )
}

type Leaf = Extract<PermissionTree['node'], { kind: 'leaf' }>['subjects'][number]

/** A subject; a userset can be opened to show its members. */
function SubjectItem({ subject, whatIf, ...conditions }: Leaf & Pick<ExpandedProps, 'whatIf'>) {
  const [isOpen, setOpen] = useState(false)
  const text = printReference(subject)
  const { relation, ...object } = subject
  return (
    <li className="py-0.5">
      <p className="flex flex-wrap items-center gap-x-2">
        {relation === undefined ? (
          <code className={mono}>{text}</code>
        ) : (
          <button
            type="button"
            aria-expanded={isOpen}
            className="group inline-flex min-h-6 items-center gap-1 text-left"
            onClick={() => setOpen(!isOpen)}
          >
            <ChevronRight size={14} aria-hidden="true" className="text-ink3 group-aria-expanded:rotate-90" />
            <code className={`link ${mono}`}>{text}</code>
          </button>
        )}
        <ObjectName {...object} />
        {object.id === '*' && <b className="font-[600]">Everyone</b>}
        <Conditions {...conditions} />
      </p>
      {isOpen && relation !== undefined && (
        <div className="ml-[5px] border-l border-line pl-3 sm:pl-4">
          <Expanded resource={object} permission={relation} whatIf={whatIf} />
        </div>
      )}
    </li>
  )
}

function Conditions({ caveat, expiresAt }: Pick<Leaf, 'caveat' | 'expiresAt'>) {
  return (
    <>
      {caveat && <Tag>if {caveat.name}</Tag>}
      {expiresAt && <span className="text-[13px] text-ink2">expires {lowerFirst(formatRelative(expiresAt))}</span>}
    </>
  )
}

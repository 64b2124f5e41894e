import type { CheckRequest } from '@passport/contract/permission-terms'
import { type Miss, previewDeletion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { isDirectoryType, toRelationshipKey } from '../permissions/reference.ts'
import { combineWhatIf, type WhatIfState } from '../permissions/what-if.ts'
import { gridQuery } from './PermissionGrid.tsx'

interface SideEffectProps {
  miss: Miss
  question: CheckRequest
  /** The supposition of the answer. */
  whatIf: WhatIfState | undefined
}

/** What a change would do besides: a deletion to everyone, an addition to the subject's permissions on the resource. */
export function SideEffect({ miss, question, whatIf }: SideEffectProps) {
  // Only stored relationships can be deleted, and those of the directory only there.
  const canDelete = whatIf === undefined && !isDirectoryType(miss.relationship.resource.type)
  return miss.change === 'remove' && canDelete ? (
    <DeletionSummary miss={miss} />
  ) : (
    <OtherPermissions miss={miss} question={question} whatIf={whatIf} />
  )
}

const once = { retry: false, refetchOnWindowFocus: false } as const

function DeletionSummary({ miss: { relationship } }: Pick<SideEffectProps, 'miss'>) {
  const body = { relationships: [toRelationshipKey(relationship)] }
  const { data } = useQuery({ ...query(previewDeletion, { body }), ...once })
  if (!data) return null
  const { lossesInTotal, gainsInTotal, isComplete } = data
  const most = (counts: number[]) => counts.reduce((most, count) => Math.max(most, count), 0)
  const subjects = most(lossesInTotal.map(({ subjects }) => subjects))
  if (subjects === 0) return gainsInTotal.length > 0 ? 'Also grants access to others' : 'Changes nothing else'
  const resources = most(lossesInTotal.map(({ resources }) => resources))
  const names = [...new Set(lossesInTotal.map(({ permission }) => permission))].join(', ')
  return `${isComplete ? '' : 'At least '}${count(subjects, 'subject')} would lose ${names} on ${count(resources, 'resource')}`
}

const count = (value: number, noun: string) => `${value.toLocaleString('en')} ${noun}${value === 1 ? '' : 's'}`

function OtherPermissions({ miss: { change, relationship }, question, whatIf }: SideEffectProps) {
  const before = useQuery({ ...gridQuery(question, whatIf), ...once })
  const supposed = combineWhatIf(whatIf, change === 'add' ? { add: [relationship] } : { remove: [relationship] })
  const after = useQuery({ ...gridQuery(question, supposed), ...once })
  if (!before.data || !after.data) return null
  const previous = new Map(before.data.items.map(({ name, permissionship }) => [name, permissionship]))
  const changed = after.data.items
    .filter(({ kind, name }) => kind === 'permission' && name !== question.permission)
    .filter(({ name, permissionship }) => previous.get(name) !== permissionship)
  if (changed.length === 0) return 'Changes no other permission on this resource'
  return `Also changes ${changed.map(({ name }) => name).join(', ')} on this resource`
}

import { type Miss, previewDeletion } from '@passport/contract/permissions'
import { useQuery } from '@tanstack/react-query'
import { query } from '../app/api.ts'
import { formatCount } from '../directory/total.ts'
import type { CheckQuestion } from '../permissions/check-search.ts'
import { isDirectoryType, toRelationshipKey } from '../permissions/reference.ts'
import { combineWhatIf } from '../permissions/what-if.ts'
import { permissionGridQuery } from './PermissionGrid.tsx'

interface SideEffectProps {
  miss: Miss
  question: CheckQuestion
}

/**
 * The other effects of a change. The preview of a deletion covers all subjects; of other changes, the effects on the
 * subject's permissions on the resource are shown.
 */
export function SideEffect({ miss, question }: SideEffectProps) {
  const canDelete = question.whatIf === undefined && !isDirectoryType(miss.relationship.resource.type)
  return miss.change === 'remove' && canDelete ? (
    <DeletionSummary miss={miss} />
  ) : (
    <OtherPermissions miss={miss} question={question} />
  )
}

const once = { retry: false, refetchOnWindowFocus: false } as const

function DeletionSummary({ miss: { relationship } }: Pick<SideEffectProps, 'miss'>) {
  const body = { relationships: [toRelationshipKey(relationship)] }
  const { data } = useQuery({ ...query(previewDeletion, { body }), ...once })
  if (!data) return null
  const { lossesInTotal, gainsInTotal, isComplete } = data
  const subjects = Math.max(0, ...lossesInTotal.map(({ subjects }) => subjects))
  if (subjects === 0) return gainsInTotal.length > 0 ? 'Also grants access to others' : 'Changes nothing else'
  const resources = Math.max(...lossesInTotal.map(({ resources }) => resources))
  const names = [...new Set(lossesInTotal.map(({ permission }) => permission))].join(', ')
  return `${isComplete ? '' : 'At least '}${formatCount(subjects, ['subject', 'subjects'])} would lose ${names} on ${formatCount(resources, ['resource', 'resources'])}`
}

function OtherPermissions({ miss: { change, relationship }, question }: SideEffectProps) {
  const before = useQuery({ ...permissionGridQuery(question), ...once })
  const changes = change === 'add' ? { add: [relationship] } : { remove: [relationship] }
  const whatIf = combineWhatIf(question.whatIf, changes)
  const after = useQuery({ ...permissionGridQuery({ ...question, whatIf }), ...once })
  if (!before.data || !after.data) return null
  const previous = new Map(before.data.items.map(({ name, permissionship }) => [name, permissionship]))
  const changed = after.data.items
    .filter(({ kind, name }) => kind === 'permission' && name !== question.permission)
    .filter(({ name, permissionship }) => previous.get(name) !== permissionship)
  if (changed.length === 0) return 'Changes no other permission on this resource'
  return `Also changes ${changed.map(({ name }) => name).join(', ')} on this resource`
}

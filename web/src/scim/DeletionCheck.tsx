import { previewScimDeletion, type ScimDeletion } from '@passport/contract/scim'
import { useQuery } from '@tanstack/react-query'
import { ArrowRight, CircleSlash, DoorOpen, type LucideIcon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { query, toFailure } from '../app/api.ts'
import { searchGroups, searchUsers } from '../directory/find-records.ts'
import { formatCount } from '../directory/total.ts'
import { Card } from '../ui/Card.tsx'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Picture } from '../ui/ObjectIcon.tsx'
import { type Pickable, Picker } from '../ui/Picker.tsx'

/** Finds users and groups. */
const searchBoth = async (text: string, signal: AbortSignal): Promise<Pickable[]> =>
  (await Promise.all([searchUsers(text, signal), searchGroups(text, signal)])).flat()

/** What a deletion by the customer would do, for a user or a group. */
export function DeletionCheck({ orgId }: { orgId: string }) {
  const [picked, setPicked] = useState<Pickable>()
  return (
    <Card title="What would a delete do?" description="When the customer removes somebody in Microsoft Entra.">
      <div className="grid gap-4 px-4 pt-1 pb-[18px] sm:px-[18px]">
        <Picker
          label="User or group"
          placeholder="Name"
          search={searchBoth}
          picked={picked ? [picked] : []}
          onPick={(all) => setPicked(all.at(-1))}
        />
        {picked && <Effect key={picked.id} orgId={orgId} picked={picked} />}
      </div>
    </Card>
  )
}

const outcomes: Record<ScimDeletion['outcome'], [Icon: LucideIcon, label: string, tone: string]> = {
  trash: [Trash2, 'Trash', 'text-bad'],
  membership: [DoorOpen, 'Leaves', 'text-warn'],
  refused: [CircleSlash, 'Refused', 'text-ink2'],
}

function Effect({ orgId, picked }: { orgId: string; picked: Pickable }) {
  const selected = picked.kind === 'group' ? { groupId: picked.id } : { userId: picked.id }
  const deletion = useQuery(query(previewScimDeletion, { params: { orgId }, query: selected }))
  if (deletion.error) return <ErrorCard failure={toFailure(deletion.error)} onRetry={() => void deletion.refetch()} />
  if (!deletion.data) return <div className="skeleton h-24" />
  const { outcome, sentence, ends, restorableDays } = deletion.data
  const [Icon, label, tone] = outcomes[outcome]
  const losses = [
    ends.members > 0 && formatCount(ends.members, ['member', 'members']),
    ends.sessions > 0 && formatCount(ends.sessions, ['session', 'sessions']),
    ends.groups > 0 && formatCount(ends.groups, ['group', 'groups']),
    ...ends.roles,
  ].filter((loss) => loss !== false)
  return (
    <div role="status" className="grid gap-3 rounded-ctl bg-well p-3.5">
      <p className="flex items-center gap-3 font-[560]">
        <Picture kind={picked.kind ?? 'user'} id={picked.id} name={picked.name} picture={picked.picture} size={28} />
        <span className="min-w-0 truncate">{picked.name}</span>
        <ArrowRight size={15} aria-hidden="true" className="shrink-0 text-ink3" />
        <span className={`inline-flex shrink-0 items-center gap-1.5 ${tone}`}>
          <Icon size={16} aria-hidden="true" /> {label}
        </span>
      </p>
      <p className="text-[13px] text-ink2">{sentence}</p>
      {losses.length > 0 && <p className="text-[13px] text-ink2">Ends at once: {losses.join(', ')}.</p>}
      {restorableDays !== null && (
        <p className="text-[13px] text-ink3">It can be restored for {restorableDays} days.</p>
      )}
    </div>
  )
}

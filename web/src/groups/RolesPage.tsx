import { ApiError } from '@passport/contract/call'
import { type Group, getGroup, putGroupRoles } from '@passport/contract/groups'
import { useState } from 'react'
import { call, toFailure } from '../app/api.ts'
import { DraftOffer } from '../app/DraftOffer.tsx'
import { useDraft } from '../app/drafts.ts'
import { reportWithUndo } from '../app/messages.ts'
import { Cancelled } from '../app/reauthentication.ts'
import { RoleChecks } from '../directory/RoleChecks.tsx'
import { usePreview } from '../directory/use-preview.tsx'
import { Button } from '../ui/Button.tsx'
import { Card } from '../ui/Card.tsx'
import { CompareDialog } from '../ui/CompareDialog.tsx'
import { ErrorCard, type Failure } from '../ui/ErrorCard.tsx'
import { GroupFrame } from './GroupFrame.tsx'
import { refreshGroups } from './refresh.ts'

export const GroupRolesPage = () => (
  <GroupFrame area="admin">{(group) => <Roles key={group.version} group={group} />}</GroupFrame>
)

const putRoles = (id: string, roles: string[], query = {}, version?: number) =>
  call(
    putGroupRoles,
    { params: { groupId: id }, query, body: { roles } },
    version === undefined ? {} : { ifMatch: `"${version}"` },
  )

/** The roles that a group's members inherit. */
function Roles({ group }: { group: Group }) {
  const [picked, setPicked] = useState(group.roles)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure>()
  const [latest, setLatest] = useState<Group>()
  const { change, dialog } = usePreview()
  const names = picked.toSorted()
  const isDirty = names.join() !== group.roles.join()
  const draft = useDraft('roles', () => (isDirty ? names : undefined), setPicked)

  async function save(version: number) {
    setBusy(true)
    setFailure(undefined)
    setLatest(undefined)
    try {
      const confirmation = { title: `Save the roles of ${group.name}?`, action: 'Save roles' }
      const saved = await change((query) => putRoles(group.id, names, query, version), confirmation)
      if (saved) {
        const undo = () => putRoles(group.id, group.roles).finally(refreshGroups)
        reportWithUndo('Saved', undo)
        await refreshGroups()
      }
    } catch (error) {
      if (error instanceof ApiError && error.status === 412)
        setLatest(await call(getGroup, { params: { id: group.id } }))
      else if (!(error instanceof Cancelled)) setFailure(toFailure(error))
    }
    setBusy(false)
  }

  return (
    <Card
      title="Roles"
      description={`Members of ${group.name} inherit these roles. Owners don't, unless they're also members. Only users who can assign these roles can then change members and owners.`}
    >
      <form
        className="grid gap-4 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault()
          void save(group.version)
        }}
      >
        <DraftOffer draft={draft} />
        <RoleChecks label="Roles" picked={picked} onPick={setPicked} />
        {failure && <ErrorCard failure={failure} />}
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" isBusy={isBusy} disabled={!isDirty}>
            Save roles
          </Button>
          {isDirty && <Button onClick={() => setPicked(group.roles)}>Discard</Button>}
        </div>
      </form>
      {dialog}
      <CompareDialog
        isOpen={latest !== undefined}
        recordLabel="this group"
        differences={[
          {
            name: 'roles',
            label: 'Roles',
            mine: names.join(', '),
            theirs: latest?.roles.join(', ') ?? '',
            choice: 'mine',
          },
        ]}
        isBusy={isBusy}
        onSave={({ roles }) => {
          if (roles === 'mine' && latest) return void save(latest.version)
          setLatest(undefined)
          void refreshGroups()
        }}
        onClose={() => setLatest(undefined)}
      />
    </Card>
  )
}
